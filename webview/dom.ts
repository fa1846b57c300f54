/** Elements, made without HTML text: whatever a name or a message says, it becomes a text node. */

type Child = Node | string | null | false;

export interface Attributes {
  readonly class?: string;
  readonly id?: string;
  readonly role?: string;
  readonly title?: string;
  readonly tabindex?: number;
  readonly hidden?: boolean;
  /** `label` becomes `aria-label`. */
  readonly aria?: Readonly<Record<string, string | number | boolean>>;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
  readonly data?: Readonly<Record<string, string>>;
}

export function apply(element: Element, attributes: Attributes): void {
  const { aria = {}, on = {}, data = {}, hidden, ...plain } = attributes;
  for (const [name, value] of Object.entries(plain)) element.setAttribute(name, String(value));
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, String(value));
  for (const [name, value] of Object.entries(data)) element.setAttribute(`data-${name}`, value);
  for (const [name, listen] of Object.entries(on)) element.addEventListener(name, listen);
  if (hidden) element.setAttribute('hidden', '');
}

export function add(element: Element, ...children: readonly Child[]): void {
  for (const child of children) if (child !== null && child !== false) element.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  apply(element, attributes);
  add(element, ...children);
  return element;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An element of an inline SVG. */
export function svg(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Child[]
): SVGElement {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  add(element, ...children);
  return element;
}

export function replace(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...children.filter(child => child !== null && child !== false));
}

/** Sets a text only where it differs, so that nothing is announced or laid out again for nothing. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

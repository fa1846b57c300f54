/**
 * The controls of the page. This is the only file that knows the toolkit: it registers its elements and names them, so
 * that another library can take its place here. (The toolkit is archived; see the README.)
 */
import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeDropdown,
  vsCodeOption,
  vsCodePanelTab,
  vsCodePanels,
  vsCodePanelView,
  vsCodeProgressRing,
} from '@vscode/webview-ui-toolkit';
import { add, apply, replace, svg, type Attributes } from './dom';

/** Before anything is made. */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeCheckbox(),
    vsCodeDropdown(),
    vsCodeOption(),
    vsCodePanelTab(),
    vsCodePanelView(),
    vsCodePanels(),
    vsCodeProgressRing(),
  );
}

function make(name: string, attributes: Attributes, ...children: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement(name);
  apply(element, attributes);
  add(element, ...children);
  return element;
}

export interface ButtonOptions {
  readonly kind?: 'primary' | 'secondary';
  readonly title?: string;
  readonly id?: string;
}

export function button(
  label: string,
  run: () => void,
  { kind = 'secondary', title, id }: ButtonOptions = {},
): HTMLElement {
  const element = make(
    'vscode-button',
    { on: { click: run }, ...(title && { title }), ...(id && { id }) },
    label,
  );
  element.setAttribute('appearance', kind);
  return element;
}

/** A small button with a picture: the path of a 16 × 16 icon. */
export function iconButton(label: string, path: string, run: () => void, id: string): HTMLElement {
  const icon = svg('svg', {
    width: 16,
    height: 16,
    viewBox: '0 0 16 16',
    fill: 'currentColor',
    'aria-hidden': 'true',
  });
  icon.append(svg('path', { d: path }));
  const element = make('vscode-button', { title: label, id, aria: { label }, on: { click: run } }, icon);
  element.setAttribute('appearance', 'icon');
  return element;
}

export function setLabel(element: HTMLElement, label: string): void {
  element.setAttribute('aria-label', label);
  element.setAttribute('title', label);
}

/** Replaces the picture of an {@link iconButton}. */
export function setIcon(element: HTMLElement, path: string): void {
  element.querySelector('path')?.setAttribute('d', path);
}

export function setDisabled(element: HTMLElement, disabled: boolean): void {
  element.toggleAttribute('disabled', disabled);
}

interface WithValue extends HTMLElement {
  value: string;
  checked: boolean;
}

export interface DropdownEntry {
  readonly value: string;
  readonly label: string;
}

export interface Dropdown {
  readonly element: HTMLElement;
  set(entries: readonly DropdownEntry[], value: string): void;
}

/** A list to choose one from, with its label above it. */
export function dropdown(label: string, id: string, changed: (value: string) => void): Dropdown {
  const list = make('vscode-dropdown', { id, aria: { label } }) as WithValue;
  list.addEventListener('change', () => changed(list.value));
  const caption = document.createElement('span');
  caption.className = 'caption';
  caption.textContent = label;
  caption.setAttribute('aria-hidden', 'true');
  const element = document.createElement('div');
  element.className = 'field';
  element.append(caption, list);
  let shown = '';
  return {
    element,
    set(entries, value) {
      const key = JSON.stringify([entries, value]);
      if (key === shown) return;
      shown = key;
      replace(
        list,
        ...entries.map(entry => {
          const option = make('vscode-option', {}, entry.label) as WithValue;
          option.setAttribute('value', entry.value);
          if (entry.value === value) option.setAttribute('selected', '');
          return option;
        }),
      );
      // The list learns of its options in the next task.
      queueMicrotask(() => setTimeout(() => (list.value = value), 0));
    },
  };
}

export interface Checkbox {
  readonly element: HTMLElement;
  set(checked: boolean): void;
}

export function checkbox(label: string, changed: (checked: boolean) => void): Checkbox {
  const element = make('vscode-checkbox', {}, label) as WithValue;
  let known = false;
  element.addEventListener('change', () => {
    if (element.checked === known) return;
    known = element.checked;
    changed(known);
  });
  return {
    element,
    set(checked) {
      known = checked;
      element.checked = checked;
    },
  };
}

export interface CheckList {
  readonly element: HTMLElement;
  set(checked: ReadonlySet<string>): void;
}

/** Choices that fold away under a heading: Space or Enter opens it, Tab goes through them. */
export function checkList(
  label: string,
  id: string,
  entries: readonly { readonly value: string; readonly label: string; readonly about: string }[],
  changed: (value: string, checked: boolean) => void,
): CheckList {
  const boxes = entries.map(({ value, label: name, about }) => {
    const box = checkbox(name, checked => changed(value, checked));
    apply(box.element, { title: about, id: `${id}-${value}` });
    return { value, box };
  });
  const element = document.createElement('details');
  element.id = id;
  element.className = 'checks';
  const summary = document.createElement('summary');
  summary.textContent = label;
  const group = document.createElement('div');
  apply(group, { class: 'controls', role: 'group', aria: { label } });
  group.append(...boxes.map(({ box }) => box.element));
  element.append(summary, group);
  return {
    element,
    set: checked => boxes.forEach(({ value, box }) => box.set(checked.has(value))),
  };
}

export interface Tabs {
  readonly element: HTMLElement;
  select(id: string): void;
}

export interface Tab {
  readonly id: string;
  readonly label: string;
  readonly content: HTMLElement;
}

export function tabs(label: string, list: readonly Tab[], changed: (id: string) => void): Tabs {
  const element = make('vscode-panels', { aria: { label } });
  for (const { id, label: name } of list) element.append(make('vscode-panel-tab', { id: `tab-${id}` }, name));
  for (const { id, content } of list)
    element.append(make('vscode-panel-view', { id: `view-${id}` }, content));
  let silent = false;
  element.addEventListener('change', event => {
    // Lists inside tell of their changes too.
    if (event.target !== element || silent) return;
    // The attribute follows later.
    const active = (element as { activeid?: string } & HTMLElement).activeid ?? '';
    changed(active.replace(/^tab-/, ''));
  });
  return {
    element,
    select(id) {
      if ((element as { activeid?: string } & HTMLElement).activeid === `tab-${id}`) return;
      silent = true;
      element.setAttribute('activeid', `tab-${id}`);
      setTimeout(() => (silent = false), 0);
    },
  };
}

export function progressRing(): HTMLElement {
  return make('vscode-progress-ring', { aria: { hidden: true } });
}

/** Whether keys on this element are for a control: arrows and letters choose in it, Space and Enter press it. */
export const isControl = (element: Element | null): boolean =>
  Boolean(
    element?.closest('vscode-dropdown, vscode-button, vscode-checkbox, vscode-panels, [role=grid], .wide'),
  );

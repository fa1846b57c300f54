/** IR as text, for tests and for looking at. */
import type { Instruction, IntegerType, IrFunction, IrModule, IrVariable } from './ir';

const typeText = ({ bits, signed }: IntegerType): string =>
  bits === 1 ? 'bool' : `${signed ? 's' : 'u'}${bits}`;

/** One function, an instruction per line: index, operation, and behind `;` the source line it comes from. */
export function dumpFunction(fn: IrFunction): string {
  const name = (register: number): string => {
    const source = fn.names[register];
    return source ? `${source}%${register}` : `%${register}`;
  };
  const parameters = fn.parameters.map((one, at) => `${one.type} ${name(at)}`).join(', ');
  const marks = [fn.partial ? 'partial' : '', fn.repaired ? 'repaired' : '', fn.unreadable ?? '']
    .filter(Boolean)
    .map(mark => ` [${mark}]`)
    .join('');
  const lines = fn.code.map((one, at) => {
    const place = fn.unit.lines[one.line];
    return `${String(at).padStart(4)}  ${instructionText(one, name)}  ; ${place?.fileLine ?? '?'}`;
  });
  return `${fn.name}(${parameters}) ${fn.unit.path}${marks}\n${lines.join('\n')}\n`;
}

export function dumpModule(module: IrModule): string {
  const findings = module.findings.map(one => `! ${one.kind}: ${one.message}\n`).join('');
  const unread = module.unread
    .map(one => `? ${one.unit.path} ${one.firstLine}-${one.lastLine}: ${one.why}\n`)
    .join('');
  const config = [...module.assumedConfig]
    .map(([name, value]) => `# ${name}=${value ? 'y' : 'n'}\n`)
    .join('');
  const variables = (module.variables ?? []).map(dumpVariable).join('');
  return module.functions.map(dumpFunction).join('\n') + variables + findings + unread + config;
}

function dumpVariable(variable: IrVariable): string {
  const parts = variable.initialisers.map(({ path, value }) => {
    const what =
      value.kind === 'constant'
        ? String(value.value)
        : value.kind === 'address'
          ? `&${value.name}`
          : value.text;
    return ` ${path.join('.')}=${what}`;
  });
  return `$ ${variable.perCpu ? 'per-cpu ' : ''}${variable.name}:${parts.join('')}\n`;
}

function instructionText(one: Instruction, name: (register: number) => string): string {
  const list = (registers: readonly number[]): string => registers.map(name).join(', ');
  const to = (dst: number | null): string => (dst === null ? '' : `${name(dst)} = `);
  switch (one.op) {
    case 'const':
      return `${to(one.dst)}${one.value > 0xffffn ? `0x${one.value.toString(16)}` : one.value}`;
    case 'address':
      return `${to(one.dst)}&${one.kind} ${one.name}`;
    case 'move':
      return `${to(one.dst)}${name(one.a)}`;
    case 'unary':
      return `${to(one.dst)}${one.operator}.${typeText(one.type)} ${name(one.a)}`;
    case 'binary':
      return `${to(one.dst)}${one.operator}.${typeText(one.type)} ${list([one.a, one.b])}`;
    case 'cast':
      return `${to(one.dst)}cast.${typeText(one.type)} ${name(one.a)}`;
    case 'field':
      return `${to(one.dst)}field ${name(one.base)} ${one.struct ?? '?'}.${one.member}${one.bits ? `:${one.bits.width}` : ''}`;
    case 'index':
      return `${to(one.dst)}index ${name(one.base)}[${name(one.index)}] ${one.element}`;
    case 'load':
      return `${to(one.dst)}load.${typeText(one.type)} ${name(one.address)}`;
    case 'store':
      return `store.${typeText(one.type)} ${name(one.address)} <- ${name(one.value)}`;
    case 'sizeof':
      return `${to(one.dst)}sizeof ${one.type}`;
    case 'jump':
      return `jump ${one.target}`;
    case 'branch': {
      const hint = one.likely === null ? '' : one.likely ? ' likely' : ' unlikely';
      return `branch ${name(one.condition)} -> ${one.target} "${one.text}"${hint}`;
    }
    case 'feature':
      return `${to(one.dst)}feature ${one.kind} ${one.feature}${one.default === null ? '' : ` default ${one.default}`}`;
    case 'call':
      return `${to(one.dst)}call ${one.callee ?? `*${name(one.pointer ?? -1)}`}(${list(one.args)}) "${one.text}"`;
    case 'operation':
      return `${to(one.dst)}OPERATION ${one.name} ${list(one.args)}`;
    case 'primitive':
      return `${to(one.dst)}primitive ${one.name} ${list(one.args)}`;
    case 'unknown':
      return `${to(one.dst)}UNKNOWN ${one.name}: ${one.why}`;
    case 'return':
      return one.value === null ? 'return' : `return ${name(one.value)}`;
  }
}

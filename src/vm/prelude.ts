/**
 * What takes a callback, in C: calls of functions on other CPUs, on messages and interrupts of the hardware. It is
 * lowered like any other file; its functions replace those of the tree.
 */
import type { Primitive } from './primitives';
import { Outcome } from './outcomes';
import type { Core } from './core';
import { Tag } from './kinds';
import { WaitKind } from './state';
import { EventKind } from './trace';

/** Vector of calls on other CPUs; `vm_call_interrupt` handles it. */
export const callVector = 1;

/** Function of the prelude that handles {@link callVector}. */
export const callHandler = 'vm_call_interrupt';

export const preludePath = 'vm/prelude.c';

export const preludeText = `
struct cpumask {
	unsigned long bits[];
};

struct cpumask vm_all_cpus;

struct vm_call {
	void (*func)(void *info);
	void *info;
};

static void vm_call_others(const struct cpumask *mask, void (*func)(void *info), void *info,
			   bool (*cond)(int cpu, void *info), bool wait, bool local)
{
	unsigned int me = smp_processor_id();
	bool run_here = false;
	bool sent = false;
	unsigned long flags;
	unsigned int cpu;

	for (cpu = find_first_bit(mask->bits, vm_cpus()); cpu < vm_cpus();
	     cpu = find_next_bit(mask->bits, vm_cpus(), cpu + 1)) {
		if (cond) {
			if (!cond(cpu, info))
				continue;
		}
		if (cpu == me) {
			run_here = true;
			continue;
		}
		vm_post_call(cpu, func, info);
		vm_send_call(cpu);
		sent = true;
	}
	if (run_here && local) {
		local_irq_save(flags);
		func(info);
		local_irq_restore(flags);
	}
	if (wait && sent)
		vm_wait_calls();
}

void vm_call_interrupt(void)
{
	struct vm_call call;
	int from;

	for (from = vm_take_call(&call); from >= 0; from = vm_take_call(&call)) {
		call.func(call.info);
		vm_finish_call(from);
	}
}

void on_each_cpu_cond_mask(bool (*cond)(int cpu, void *info), void (*func)(void *info), void *info,
			   bool wait, const struct cpumask *mask)
{
	preempt_disable();
	vm_call_others(mask, func, info, cond, wait, true);
	preempt_enable();
}

void on_each_cpu_mask(const struct cpumask *mask, void (*func)(void *info), void *info, bool wait)
{
	preempt_disable();
	vm_call_others(mask, func, info, NULL, wait, true);
	preempt_enable();
}

void on_each_cpu(void (*func)(void *info), void *info, int wait)
{
	preempt_disable();
	vm_call_others(&vm_all_cpus, func, info, NULL, wait, true);
	preempt_enable();
}

void on_each_cpu_cond(bool (*cond)(int cpu, void *info), void (*func)(void *info), void *info, bool wait)
{
	preempt_disable();
	vm_call_others(&vm_all_cpus, func, info, cond, wait, true);
	preempt_enable();
}

void smp_call_function_many(const struct cpumask *mask, void (*func)(void *info), void *info, bool wait)
{
	vm_call_others(mask, func, info, NULL, wait, false);
}

void smp_call_function(void (*func)(void *info), void *info, int wait)
{
	preempt_disable();
	vm_call_others(&vm_all_cpus, func, info, NULL, wait, false);
	preempt_enable();
}

void smp_call_function_done(int cpu)
{
	vm_finish_call(cpu);
}

int smp_call_function_single(int cpu, void (*func)(void *info), void *info, int wait)
{
	unsigned long flags;

	preempt_disable();
	if (cpu == smp_processor_id()) {
		local_irq_save(flags);
		func(info);
		local_irq_restore(flags);
	} else {
		vm_post_call(cpu, func, info);
		vm_send_call(cpu);
		if (wait)
			vm_wait_calls();
	}
	preempt_enable();
	return 0;
}
`;

/** `vm_post_call(cpu, func, info)`: waits while the last message to that CPU is not acknowledged. */
const postCall: Primitive = (core, cpu) => {
  const { mailboxes } = core.machine;
  for (let at = 0; at < 4; at++) mailboxes.words[at] = core.args[2 + at]!;
  return mailboxes.post(cpu, core.args[0]!) ? core.give(0, 0) : core.waitForChange(cpu);
};

/** An interrupt to one CPU. */
function send(core: Core, cpu: number, vector: number): Outcome {
  const { clocks, interrupts } = core.machine;
  const to = core.args[0]!;
  const before = clocks.cycles(cpu);
  core.drain(cpu);
  core.sends(cpu, to);
  interrupts.send(cpu, to, vector);
  core.order[cpu]! += clocks.cycles(cpu) - before;
  core.changed();
  core.event(EventKind.Ipi, cpu, vector, to, 0, 0);
  core.poke(to, to !== cpu);
  return core.give(0, 0);
}

/** `vm_wait_calls()`: until every message of the CPU is acknowledged. */
const waitCalls: Primitive = (core, cpu) => {
  const { clocks, mailboxes } = core.machine;
  if (mailboxes.outstanding(cpu) > 0) return core.wait(cpu, WaitKind.Messages, 0);
  const before = clocks.cycles(cpu);
  mailboxes.awaitAcknowledgements(cpu);
  clocks.tally(cpu, clocks.operation('IPI_WAIT'));
  core.order[cpu]! += clocks.cycles(cpu) - before;
  core.event(EventKind.IpiWait, cpu, 0, 0, 0, 0);
  return core.give(0, 0);
};

/** `vm_take_call(&call)`: the sender of the next message, or −1; what to call goes to the two slots of `call`. */
const takeCall: Primitive = (core, cpu) => {
  const slot = core.argSlot(cpu, 0, false);
  if (slot < 0) return Outcome.Stop;
  const { mailboxes } = core.machine;
  const from = mailboxes.take(cpu);
  if (from < 0) return core.give(-1, -1);
  const { words } = mailboxes;
  for (let at = 0; at < 2; at++) {
    core.tags[slot + at]! |= Tag.Defined;
    core.memoryLo[slot + at] = words[2 * at]!;
    core.memoryHi[slot + at] = words[2 * at + 1]!;
  }
  core.changed();
  return core.give(from, 0);
};

/** A message that was answered early may have been followed by another, which is not answered here. */
const finishCall: Primitive = (core, cpu) => {
  core.drain(cpu);
  if (core.machine.mailboxes.stateOf(cpu, core.args[0]!) !== 'taken') return core.give(0, 0);
  core.machine.mailboxes.acknowledge(cpu, core.args[0]!);
  core.changed();
  if (core.machine.mailboxes.outstanding(core.args[0]!) === 0) {
    core.stir(core.args[0]!);
    core.urgent();
  }
  return core.give(0, 0);
};

/** The prelude's own primitives. */
export const preludePrimitives: ReadonlyMap<string, Primitive> = new Map<string, Primitive>([
  ['vm_cpus', core => core.give(core.layout.cpus, 0)],
  ['vm_post_call', postCall],
  ['vm_send_call', (core, cpu) => send(core, cpu, callVector)],
  ['vm_send_interrupt', (core, cpu) => send(core, cpu, core.args[2]!)],
  ['vm_wait_calls', waitCalls],
  ['vm_take_call', takeCall],
  ['vm_finish_call', finishCall],
]);

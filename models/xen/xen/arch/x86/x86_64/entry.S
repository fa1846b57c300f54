/* SPDX-License-Identifier: MIT */
/*
 * Into the hypervisor and out of it: only what concerns CR3 and CR4. Under XPTI a guest runs on a root of its own, and
 * xen_cr3 is the hypervisor's while it does. Model code, written for TLBScope.
 */

/* From a guest. What user code has in its TLB may stay: the hypervisor's addresses are others. */
SYM_CODE_START(lstar_enter)
	movq	PER_CPU_VAR(xen_cr3), %r11
	testq	%r11, %r11
	jz	.Lenter_done
	movq	$0, PER_CPU_VAR(xen_cr3)
	mov	%r11, %cr3
.Lenter_done:
	RET
SYM_CODE_END(lstar_enter)

/* To a guest: nothing of the hypervisor may be left in the TLB. */
SYM_CODE_START(restore_all_guest)
	movq	PER_CPU_VAR(pv_cr3), %r11
	testq	%r11, %r11
	jz	.Lrag_keep_cr3
	movq	PER_CPU_VAR(vcpu_cr3), %r10
	movq	%r10, PER_CPU_VAR(xen_cr3)
	movb	$0, PER_CPU_VAR(root_pgt_changed)
	/* Global translations survive a write of CR3. */
	movq	PER_CPU_VAR(cpu_cr4), %r9
	movq	%r9, %r10
	andq	$~X86_CR4_PGE, %r9
	mov	%r9, %cr4
	mov	%r11, %cr3
	mov	%r10, %cr4
.Lrag_keep_cr3:
	RET
SYM_CODE_END(restore_all_guest)

/* Back to hypervisor code that an interrupt has found on the guest's CR3. */
SYM_CODE_START(restore_all_xen)
	movq	PER_CPU_VAR(pv_cr3), %r11
	movq	PER_CPU_VAR(cpu_cr4), %r9
	movq	%r9, %r10
	andq	$~X86_CR4_PGE, %r9
	mov	%r9, %cr4
	mov	%r11, %cr3
	mov	%r10, %cr4
	RET
SYM_CODE_END(restore_all_xen)

/* The guest's kernel asks for something: %rdi is a list of operations, %rsi how many they are. */
SYM_CODE_START(hypercall_mmuext_op)
	call	lstar_enter
	call	do_mmuext_op
	call	restore_all_guest
	RET
SYM_CODE_END(hypercall_mmuext_op)

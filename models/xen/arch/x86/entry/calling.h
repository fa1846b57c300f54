/* SPDX-License-Identifier: MIT */
/*
 * The guest's border between user mode and kernel, which leads through the hypervisor: it is entered, changes the mode
 * of the guest, and is left again. Names are those of the native border. Model code, written for TLBScope.
 */

.macro THROUGH_HYPERVISOR
	pushq	%rax
	call	lstar_enter
	call	toggle_guest_mode
	call	restore_all_guest
	popq	%rax
.endm

/* A system call, an interrupt or a fault of user code. */
.macro SWITCH_TO_KERNEL_CR3 scratch_reg:req
	THROUGH_HYPERVISOR
.endm

/* The hypercall iret. */
.macro SWITCH_TO_USER_CR3_NOSTACK scratch_reg:req scratch_reg2:req
	THROUGH_HYPERVISOR
.endm

.macro SWITCH_TO_USER_CR3_STACK scratch_reg:req
	THROUGH_HYPERVISOR
.endm

/* What the hypervisor handles itself: it may have been at its own border already. 0: on its own CR3. */
.macro SAVE_AND_SWITCH_TO_KERNEL_CR3 scratch_reg:req save_reg:req
	movq	PER_CPU_VAR(xen_cr3), \save_reg
	testq	\save_reg, \save_reg
	jz	.Lwas_in_xen_\@
	movq	$0, PER_CPU_VAR(xen_cr3)
	mov	\save_reg, %cr3
.Lwas_in_xen_\@:
.endm

.macro RESTORE_CR3 scratch_reg:req save_reg:req
	testq	\save_reg, \save_reg
	jz	.Lstay_in_xen_\@
	movq	\save_reg, PER_CPU_VAR(xen_cr3)
	call	restore_all_xen
.Lstay_in_xen_\@:
.endm

/* SPDX-License-Identifier: MIT */
/*
 * How the kernel changes CR3 at its border under PTI. The user CR3 is the kernel's with bits 11 and 12 set: the user
 * PCID of the slot, and the second page of the pair of roots. Model code, written for TLBScope.
 */

#define USER_CR3_BITS		(0x1800)
#define USER_ROOT_BIT		(12)
#define OWED			PER_CPU_VAR(cpu_tlbstate + TLB_STATE_user_pcid_flush_mask)

/* The kernel's PCID needs no flush on the way in: what it holds was flushed when it had to be. */
.macro KERNEL_CR3_FROM_USER reg:req
	andq	$~USER_CR3_BITS, \reg
	ALTERNATIVE "", "bts $63, \reg", X86_FEATURE_PCID
	mov	\reg, %cr3
.endm

.macro SWITCH_TO_KERNEL_CR3 scratch_reg:req
	ALTERNATIVE "jmp .Lentered_\@", "", X86_FEATURE_PTI
	mov	%cr3, \scratch_reg
	KERNEL_CR3_FROM_USER \scratch_reg
.Lentered_\@:
.endm

/* Without a stack: both registers are the caller's to lose. */
.macro SWITCH_TO_USER_CR3_NOSTACK scratch_reg:req scratch_reg2:req
	ALTERNATIVE "jmp .Lon_user_cr3_\@", "", X86_FEATURE_PTI
	mov	%cr3, \scratch_reg
	ALTERNATIVE "jmp .Lroot_only_\@", "", X86_FEATURE_PCID

	/* Does the user PCID of the loaded slot owe a flush? */
	movq	\scratch_reg, \scratch_reg2
	andq	$(0x7FF), \scratch_reg2
	bt	\scratch_reg2, OWED
	jnc	.Lnothing_owed_\@
	btr	\scratch_reg2, OWED
	jmp	.Lload_user_cr3_\@

.Lnothing_owed_\@:
	bts	$63, \scratch_reg
.Lload_user_cr3_\@:
	orq	$(USER_CR3_BITS), \scratch_reg
	mov	\scratch_reg, %cr3
	jmp	.Lon_user_cr3_\@

.Lroot_only_\@:
	bts	$USER_ROOT_BIT, \scratch_reg
	mov	\scratch_reg, %cr3
.Lon_user_cr3_\@:
.endm

/* On the entry stack, which both roots map. */
.macro SWITCH_TO_USER_CR3_STACK scratch_reg:req
	pushq	%rax
	SWITCH_TO_USER_CR3_NOSTACK scratch_reg=\scratch_reg scratch_reg2=%rax
	popq	%rax
.endm

/* From anywhere, also from kernel code that runs on the user CR3 already: keep what CR3 was. */
.macro SAVE_AND_SWITCH_TO_KERNEL_CR3 scratch_reg:req save_reg:req
	ALTERNATIVE "jmp .Lsaved_\@", "", X86_FEATURE_PTI
	mov	%cr3, \save_reg
	bt	$USER_ROOT_BIT, \save_reg
	jnc	.Lsaved_\@
	movq	\save_reg, \scratch_reg
	KERNEL_CR3_FROM_USER \scratch_reg
.Lsaved_\@:
.endm

/* Back to the CR3 that was saved; a user CR3 still pays what its PCID owes. */
.macro RESTORE_CR3 scratch_reg:req save_reg:req
	ALTERNATIVE "jmp .Lrestored_\@", "", X86_FEATURE_PTI
	ALTERNATIVE "jmp .Lwrite_back_\@", "", X86_FEATURE_PCID
	bt	$USER_ROOT_BIT, \save_reg
	jnc	.Lkeep_entries_\@

	movq	\save_reg, \scratch_reg
	andq	$(0x7FF), \scratch_reg
	bt	\scratch_reg, OWED
	jnc	.Lkeep_entries_\@
	btr	\scratch_reg, OWED
	jmp	.Lwrite_back_\@
.Lkeep_entries_\@:
	bts	$63, \save_reg
.Lwrite_back_\@:
	mov	\save_reg, %cr3
.Lrestored_\@:
.endm

/* SPDX-License-Identifier: MIT */
/*
 * Into the kernel and out of it. Only what concerns CR3: general registers are saved where the code here uses them, and
 * a system call keeps its arguments in registers. Model code, written for TLBScope.
 */
#include "calling.h"

SYM_CODE_START(entry_SYSCALL_64)
	swapgs
	SWITCH_TO_KERNEL_CR3 scratch_reg=%r11
	movq	%rax, %rcx
	call	do_syscall_64
	SWITCH_TO_USER_CR3_STACK scratch_reg=%rdi
	swapgs
	sysretq
SYM_CODE_END(entry_SYSCALL_64)

/* A 32-bit program: on its way out there is no stack left to save registers on. */
SYM_CODE_START(entry_SYSCALL_compat)
	swapgs
	SWITCH_TO_KERNEL_CR3 scratch_reg=%r11
	movq	%rax, %rcx
	call	do_syscall_64
	SWITCH_TO_USER_CR3_NOSTACK scratch_reg=%r8 scratch_reg2=%r9
	swapgs
	sysretl
SYM_CODE_END(entry_SYSCALL_compat)

SYM_CODE_START(swapgs_restore_regs_and_return_to_usermode)
	SWITCH_TO_USER_CR3_STACK scratch_reg=%rdi
	popq	%rdi
	swapgs
	iretq
SYM_CODE_END(swapgs_restore_regs_and_return_to_usermode)

/* Another CPU wants a function run. */
SYM_CODE_START(call_function_interrupt)
	testb	$3, 8(%rsp)
	jz	.Lcall_from_kernel
	swapgs
	pushq	%rdi
	SWITCH_TO_KERNEL_CR3 scratch_reg=%rdi
	call	smp_call_function_interrupt
	jmp	swapgs_restore_regs_and_return_to_usermode
.Lcall_from_kernel:
	call	smp_call_function_interrupt
	iretq
SYM_CODE_END(call_function_interrupt)

/* A device. */
SYM_CODE_START(common_interrupt)
	testb	$3, 8(%rsp)
	jz	.Ldevice_from_kernel
	swapgs
	pushq	%rdi
	SWITCH_TO_KERNEL_CR3 scratch_reg=%rdi
	call	do_IRQ
	jmp	swapgs_restore_regs_and_return_to_usermode
.Ldevice_from_kernel:
	call	do_IRQ
	iretq
SYM_CODE_END(common_interrupt)

/* %rdi: the address (CR2), %rsi: the error code. */
SYM_CODE_START(page_fault)
	testb	$3, 8(%rsp)
	jz	.Lfault_from_kernel
	swapgs
	SWITCH_TO_KERNEL_CR3 scratch_reg=%rax
	call	do_page_fault
	pushq	%rdi
	jmp	swapgs_restore_regs_and_return_to_usermode
.Lfault_from_kernel:
	call	do_page_fault
	iretq
SYM_CODE_END(page_fault)

/* From any code of the kernel, entry code included: CR3 may be either. */
SYM_CODE_START(debug)
	pushq	%rax
	pushq	%r14
	pushq	%r15
	SAVE_AND_SWITCH_TO_KERNEL_CR3 scratch_reg=%rax save_reg=%r14
	call	do_debug
	RESTORE_CR3 scratch_reg=%r15 save_reg=%r14
	popq	%r15
	popq	%r14
	popq	%rax
	iretq
SYM_CODE_END(debug)

SYM_CODE_START(nmi)
	pushq	%rdi
	testb	$3, 16(%rsp)
	jz	.Lnmi_from_kernel
	swapgs
	SWITCH_TO_KERNEL_CR3 scratch_reg=%rdi
	call	do_nmi
	jmp	swapgs_restore_regs_and_return_to_usermode
.Lnmi_from_kernel:
	pushq	%rax
	pushq	%r14
	pushq	%r15
	SAVE_AND_SWITCH_TO_KERNEL_CR3 scratch_reg=%rax save_reg=%r14
	call	do_nmi
	RESTORE_CR3 scratch_reg=%r15 save_reg=%r14
	popq	%r15
	popq	%r14
	popq	%rax
	popq	%rdi
	iretq
SYM_CODE_END(nmi)

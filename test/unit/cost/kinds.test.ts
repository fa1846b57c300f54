/** Kinds of changes that kernel patches make, each with its difference derived by hand in the comment or name. */
import { strict as assert } from 'node:assert';
import { canonical, patchOf, priced, shown, type Settings } from './support';

interface Kind {
  readonly name: string;
  readonly path?: string;
  readonly heading?: string;
  readonly patch: string;
  readonly settings?: Settings;
  readonly delta: Readonly<Record<string, string>>;
  readonly other?: Readonly<Record<string, string>>;
}

const kinds: readonly Kind[] = [
  {
    name: 'PGE off and on again becomes one INVPCID of type 2',
    patch: `
 static void tq_flush_everything(void)
 {
-	unsigned long cr4 = read_cr4();
-
-	write_cr4(cr4 & ~X86_CR4_PGE);
-	write_cr4(cr4);
+	invpcid_flush_all();
 }
`,
    delta: { CR4_WRITE: '-2', INVPCID_ALL_GLOBAL: '1' },
  },
  {
    name: 'the same behind a feature test that returns early, with the feature',
    patch: `
 static void tq_flush_everything(unsigned long cr4)
 {
+	if (static_cpu_has(X86_FEATURE_INVPCID)) {
+		invpcid_flush_all();
+		return;
+	}
 	write_cr4(cr4 & ~X86_CR4_PGE);
 	write_cr4(cr4);
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { CR4_WRITE: '-2', INVPCID_ALL_GLOBAL: '1' },
  },
  {
    name: 'the same without the feature: only a test',
    patch: `
 static void tq_flush_everything(unsigned long cr4)
 {
+	if (static_cpu_has(X86_FEATURE_INVPCID)) {
+		invpcid_flush_all();
+		return;
+	}
 	write_cr4(cr4 & ~X86_CR4_PGE);
 	write_cr4(cr4);
 }
`,
    delta: {},
  },
  {
    name: 'a loop of single pages becomes one flush of the PCID',
    patch: `
 static void tq_drop(u16 asid, unsigned long start, unsigned long end)
 {
-	while (start < end) {
-		invpcid_flush_one(user_pcid(asid), start);
-		start += PAGE_SIZE;
-	}
+	invpcid_flush_single_context(user_pcid(asid));
 }
`,
    delta: { INVPCID_ADDR: '-n', INVPCID_CTX: '1' },
  },
  {
    name: 'INVPCID by its type argument, handed through a helper',
    patch: `
 static void tq_invpcid(unsigned long pcid, unsigned long addr, unsigned long type)
 {
 	__invpcid(pcid, addr, type);
 }
 
 static void tq_drop(unsigned long pcid)
 {
-	tq_invpcid(pcid, 0, 1);
+	tq_invpcid(0, 0, INVPCID_TYPE_ALL_NON_GLOBAL);
 }
`,
    delta: { INVPCID_CTX: '-1', INVPCID_ALL: '1' },
  },
  {
    name: 'one IPI for all pages instead of one per page',
    patch: `
 static void tq_one(void *info)
 {
 	asm volatile("invlpg (%0)" : : "r" ((unsigned long)info) : "memory");
 }
 
 static void tq_many(void *info)
 {
 	struct tq_range *r = info;
 	unsigned long addr;
 
 	for (addr = r->start; addr < r->end; addr += PAGE_SIZE)
 		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
 
 static void tq_shoot(const struct cpumask *mask, struct tq_range *r)
 {
-	unsigned long addr;
-
-	for (addr = r->start; addr < r->end; addr += PAGE_SIZE)
-		smp_call_function_many(mask, tq_one, (void *)addr, 1);
+	smp_call_function_many(mask, tq_many, r, 1);
 }
`,
    delta: { IPI: 'c-c*n', IPI_WAIT: '1-n' },
  },
  {
    name: 'no wait any more',
    patch: `
 static void tq_one(void *info)
 {
 	asm volatile("invlpg (%0)" : : "r" ((unsigned long)info) : "memory");
 }
 
 static void tq_shoot(const struct cpumask *mask, void *addr)
 {
-	smp_call_function_many(mask, tq_one, addr, true);
+	smp_call_function_many(mask, tq_one, addr, false);
 }
`,
    delta: { IPI_WAIT: '-1' },
  },
  {
    name: 'one call to a mask instead of one call per CPU of it',
    patch: `
 static void tq_one(void *info)
 {
 	__flush_tlb_all();
 }
 
 static void tq_shoot(const struct cpumask *mask)
 {
-	int cpu;
-
-	for_each_cpu(cpu, mask)
-		smp_call_function_single(cpu, tq_one, NULL, 1);
+	smp_call_function_many(mask, tq_one, NULL, 1);
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { IPI_WAIT: '1-c' },
  },
  {
    name: 'hypercalls batched: one for all pages',
    path: 'arch/x86/xen/tq.c',
    patch: `
 static void tq_xen_flush(struct mmuext_op *ops, unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 	int i = 0;
 
 	for (addr = start; addr < end; addr += PAGE_SIZE) {
-		ops[0].cmd = MMUEXT_INVLPG_LOCAL;
-		ops[0].arg1.linear_addr = addr;
-		HYPERVISOR_mmuext_op(ops, 1, NULL, DOMID_SELF);
+		ops[i].cmd = MMUEXT_INVLPG_LOCAL;
+		ops[i++].arg1.linear_addr = addr;
 	}
+	HYPERVISOR_mmuext_op(ops, i, NULL, DOMID_SELF);
 }
`,
    delta: { HYPERCALL: '1-n' },
  },
  {
    name: 'multicalls queued and issued once for all pages instead of once per page',
    path: 'arch/x86/xen/tq.c',
    patch: `
 static void tq_xen_flush(unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 	struct multicall_space mcs;
 
 	for (addr = start; addr < end; addr += PAGE_SIZE) {
 		mcs = xen_mc_entry(sizeof(struct mmuext_op));
 		MULTI_mmuext_op(mcs.mc, mcs.args, 1, NULL, DOMID_SELF);
-		xen_mc_issue(PARAVIRT_LAZY_MMU);
 	}
+	xen_mc_issue(PARAVIRT_LAZY_MMU);
 }
`,
    delta: { HYPERCALL: 'ceil(n/21)-n' },
  },
  {
    name: 'arm64: the user ASID too, with the kernel unmapped',
    path: 'arch/arm64/include/asm/tq.h',
    patch: `
 static inline void tq_flush(unsigned long asid, unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 
 	dsb(ishst);
-	for (addr = start; addr < end; addr += PAGE_SIZE)
+	for (addr = start; addr < end; addr += PAGE_SIZE) {
 		__tlbi(vale1is, asid | (addr >> 12));
+		__tlbi_user(vale1is, asid | (addr >> 12));
+	}
 	dsb(ish);
 }
`,
    settings: { features: ['KPTI'] },
    delta: { TLBI_VA_IS: 'n' },
  },
  {
    name: 'arm64: the same without KPTI',
    path: 'arch/arm64/include/asm/tq.h',
    patch: `
 static inline void tq_flush(unsigned long asid, unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 
-	for (addr = start; addr < end; addr += PAGE_SIZE)
+	for (addr = start; addr < end; addr += PAGE_SIZE) {
 		__tlbi(vale1is, asid | (addr >> 12));
+		if (arm64_kernel_unmapped_at_el0())
+			__tlbi(vale1is, asid | USER_ASID_FLAG | (addr >> 12));
+	}
 }
`,
    delta: {},
  },
  {
    name: 'arm64: everything of this PE instead of broadcasts, with an ISB less',
    path: 'arch/arm64/mm/tq.c',
    patch: `
 static void tq_all(void)
 {
-	dsb(ishst);
-	__tlbi(vmalle1is);
-	dsb(ish);
-	isb();
+	dsb(nshst);
+	__tlbi(vmalle1);
+	dsb(nsh);
 }
`,
    delta: { TLBI_ALL_IS: '-1', TLBI_ALL: '1', ISB: '-1' },
  },
  {
    name: 'a loop over 1 << order pages',
    path: 'mm/tq.c',
    patch: `
 static void tq_release(unsigned long addr, int order)
 {
 	int i;
 
-	flush_tlb_one_kernel(addr);
+	for (i = 0; i < 1 << order; i++)
+		flush_tlb_one_kernel(addr + i * PAGE_SIZE);
 }
`,
    delta: { INVLPG: '2^order-1' },
  },
  {
    name: "the source's own bound",
    patch: `
 static void tq_flush(unsigned long *list, int nr)
 {
 	int i;
 
-	__flush_tlb_all();
+	for (i = 0; i < nr; i++)
+		asm volatile("invlpg (%0)" : : "r" (list[i]) : "memory");
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { INVLPG: 'nr', INVPCID_ALL_GLOBAL: '-1' },
  },
  {
    name: 'a flush on an error path is not taken',
    patch: `
 static int tq_map(struct tq *t, unsigned long addr)
 {
 	int ret = tq_check(t);
 
-	if (ret)
+	if (ret) {
+		__flush_tlb_all();
 		return ret;
+	}
 	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 	return 0;
 }
`,
    delta: {},
  },
  {
    name: 'a null check in front changes nothing',
    patch: `
 static void tq_flush(struct tq *t)
 {
+	if (!t)
+		return;
 	asm volatile("invlpg (%0)" : : "r" (t->addr) : "memory");
 }
`,
    delta: {},
  },
  {
    name: 'a condition that guards the new line is taken',
    patch: `
 static void tq_unmap(struct tq *t, unsigned long addr)
 {
 	tq_clear(t);
+	if (t->mapped)
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
    delta: { INVLPG: '1' },
  },
  {
    name: 'an early return that is new leaves both answers: nothing, or what follows is gone',
    patch: `
 static void tq_unmap(struct tq *t, unsigned long addr)
 {
+	if (t->lazy)
+		return;
 	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
    delta: {},
    other: { INVLPG: '-1' },
  },
  {
    name: 'both branches changed: the dearer first, the other beside it',
    patch: `
 static void tq_flush(struct tq *t, unsigned long start, unsigned long end)
 {
-	if (t->all)
-		native_write_cr3(__native_read_cr3());
-	else
-		invpcid_flush_single_context(t->pcid);
+	if (t->all)
+		invpcid_flush_all();
+	else
+		invpcid_flush_one(t->pcid, start);
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { CR3_FLUSH: '-1', INVPCID_ALL_GLOBAL: '1' },
    other: { INVPCID_CTX: '-1', INVPCID_ADDR: '1' },
  },
  {
    name: 'a static key that is off by default',
    patch: `
 DEFINE_STATIC_KEY_FALSE(tq_flush_key);
 
 static void tq_unmap(unsigned long addr)
 {
-	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
+	if (static_branch_unlikely(&tq_flush_key))
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
    delta: { INVLPG: '-1' },
  },
  {
    name: 'the same key switched on',
    patch: `
 DEFINE_STATIC_KEY_FALSE(tq_flush_key);
 
 static void tq_unmap(unsigned long addr)
 {
-	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
+	if (static_branch_unlikely(&tq_flush_key))
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
    settings: { features: ['tq_flush_key'] },
    delta: {},
  },
  {
    name: 'a lower ceiling: under it nothing changes',
    patch: `
 static void tq_flush(unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 
-	if ((end - start) >> PAGE_SHIFT > 33) {
+	if ((end - start) >> PAGE_SHIFT > 16) {
 		__flush_tlb_all();
 		return;
 	}
 	for (addr = start; addr < end; addr += PAGE_SIZE)
 		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
    settings: { features: ['INVPCID'] },
    delta: {},
  },
  {
    name: 'a lower ceiling: between the two the whole is flushed',
    patch: `
 static void tq_flush(unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 
-	if ((end - start) >> PAGE_SHIFT > 33) {
+	if ((end - start) >> PAGE_SHIFT > 16) {
 		__flush_tlb_all();
 		return;
 	}
 	for (addr = start; addr < end; addr += PAGE_SIZE)
 		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 }
`,
    settings: { features: ['INVPCID'], values: { n: 20 }, nGiven: true },
    delta: { INVPCID_ALL_GLOBAL: '1', INVLPG: '-n' },
  },
  {
    name: 'a fence',
    patch: `
 static void tq_publish(struct tq *t)
 {
 	WRITE_ONCE(t->gen, t->gen + 1);
+	mb();
 }
`,
    delta: { MFENCE: '1' },
  },
  {
    name: 'comments, blank lines and a renamed variable change nothing',
    patch: `
 static void tq_flush(unsigned long start, unsigned long end)
 {
-	unsigned long addr;
+	/* invlpg() each page; write_cr3() would drop too much. */
+	unsigned long va;
 
-	for (addr = start; addr < end; addr += PAGE_SIZE)
-		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
+	for (va = start; va < end; va += PAGE_SIZE)
+		asm volatile("invlpg (%0)" : : "r" (va) : "memory");
 }
`,
    delta: {},
  },
  {
    name: 'prototypes, structs and tables change nothing',
    path: 'arch/x86/include/asm/tq.h',
    patch: `
 struct tq {
 	unsigned long addr;
+	bool flush_tlb_all;
 };
-void flush_tlb_all(void);
+extern void flush_tlb_all(void);
+void tq_flush_tlb_range(struct tq *t, unsigned long start, unsigned long end);
`,
    delta: {},
  },
  {
    name: 'a macro with a body counts as a function does',
    path: 'arch/x86/include/asm/tq.h',
    patch: `
-#define tq_flush_one(addr) asm volatile("invlpg (%0)" : : "r" (addr) : "memory")
+#define tq_flush_one(addr) do {						\\
+	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");	\\
+	asm volatile("lfence" : : : "memory");			\\
+} while (0)
`,
    delta: { LFENCE: '1' },
  },
  {
    name: 'an assembly loop that counts down',
    path: 'arch/x86/entry/tq.S',
    patch: `
 SYM_CODE_START(tq_exit)
 	movq	%rax, %cr3
+	movl	$8, %ecx
+.Ltq_again:
+	invlpg	(%rdi)
+	addq	$4096, %rdi
+	decl	%ecx
+	jnz	.Ltq_again
 	ret
 SYM_CODE_END(tq_exit)
`,
    delta: { INVLPG: '8' },
  },
  {
    name: 'CR3 write in assembly loses its no-flush bit',
    path: 'arch/x86/entry/tq.S',
    patch: `
 SYM_CODE_START(tq_switch)
 	movq	%cr3, %rax
-	bts	$63, %rax
 	movq	%rax, %cr3
 	ret
 SYM_CODE_END(tq_switch)
`,
    delta: { CR3_FLUSH: '1', CR3_NOFLUSH: '-1' },
  },
  {
    name: 'build_cr3 becomes build_cr3_noflush',
    patch: `
 static void tq_load(pgd_t *pgd, u16 asid)
 {
-	write_cr3(build_cr3(pgd, asid));
+	write_cr3(build_cr3_noflush(pgd, asid));
 }
`,
    delta: { CR3_FLUSH: '-1', CR3_NOFLUSH: '1' },
  },
  {
    name: 'a flush of everything moves out of a loop over pages',
    path: 'mm/tq.c',
    patch: `
 static void tq_unmap_range(unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 
 	for (addr = start; addr < end; addr += PAGE_SIZE) {
 		tq_clear_pte(addr);
-		__flush_tlb_all();
 	}
+	__flush_tlb_all();
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { INVPCID_ALL_GLOBAL: '1-n' },
  },
  {
    name: 'a kernel page through the function for ranges: one page, not n',
    path: 'mm/tq.c',
    patch: `
 static void tq_unmap_page(unsigned long addr)
 {
 	tq_clear_pte(addr);
+	flush_tlb_kernel_range(addr, addr + PAGE_SIZE);
 }
`,
    delta: { INVLPG: 'c+1', IPI: 'c', IPI_WAIT: '1' },
  },
  {
    name: 'a callback kept in a variable',
    patch: `
 static void tq_local(void *info)
 {
 	asm volatile("invlpg (%0)" : : "r" ((unsigned long)info) : "memory");
 }
 
 static void tq_everywhere(void *addr)
 {
+	smp_call_func_t func = tq_local;
+
+	on_each_cpu(func, addr, 1);
-	tq_local(addr);
 }
`,
    delta: { INVLPG: 'c', IPI: 'c', IPI_WAIT: '1' },
  },
  {
    name: 'a switch over kinds: the changed one is taken',
    patch: `
 static void tq_flush(int kind, unsigned long addr)
 {
 	switch (kind) {
 	case 1:
-		native_write_cr3(__native_read_cr3());
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 		break;
 	default:
 		invpcid_flush_all();
 	}
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { CR3_FLUSH: '-1', INVLPG: '1' },
  },
  {
    name: 'two cases of a switch changed: only one of them can be reached',
    patch: `
 static void tq_flush(int kind, unsigned long addr)
 {
 	switch (kind) {
 	case 1:
-		native_write_cr3(__native_read_cr3());
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 		break;
 	case 2:
-		invpcid_flush_single_context(addr);
+		invpcid_flush_all();
 		break;
 	}
 }
`,
    delta: { INVPCID_CTX: '-1', INVPCID_ALL_GLOBAL: '1' },
    other: { CR3_FLUSH: '-1', INVLPG: '1' },
  },
  {
    name: 'a hunk that shows only the body of a loop counts the range that its step walks',
    heading: 'static int tq_walk(struct tq *t)',
    patch: `
 		addr += PAGE_SIZE;
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 	}
 
 	return 0;
 }
`,
    delta: { INVLPG: 'n' },
  },
  {
    name: 'a hunk that shows the head of a loop, but not what came before',
    heading: 'static int tq_walk(struct tq *t)',
    patch: `
 	while (addr < t->end) {
-		invpcid_flush_one(user_pcid(t->asid), addr);
+		asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 		addr += 1UL << t->shift;
 	}
`,
    delta: { INVPCID_ADDR: '-n', INVLPG: 'n' },
  },
  {
    name: 'arm64: one barrier behind the loop instead of one per page',
    path: 'arch/arm64/mm/tq.c',
    patch: `
 static void tq_flush(unsigned long start, unsigned long end)
 {
 	unsigned long addr;
 
 	for (addr = start; addr < end; addr += PAGE_SIZE) {
 		__tlbi(vaale1is, __TLBI_VADDR(addr, 0));
-		dsb(ish);
 	}
+	dsb(ish);
 	isb();
 }
`,
    delta: { DSB: '1-n' },
  },
  {
    name: 'repeated by the assembler',
    path: 'arch/x86/entry/tq.S',
    patch: `
 .macro TQ_FLUSH reg:req
+.rept 4
+	invlpg	(\\reg)
+	addq	$4096, \\reg
+.endr
 .endm
`,
    delta: { INVLPG: '4' },
  },
  {
    name: 'broadcasts in chunks of the most pages that one takes',
    patch: `
 static void tq_broadcast(struct tq_range *r)
 {
 	unsigned long addr, nr;
 
+	for (addr = r->start; addr < r->end; addr += nr << PAGE_SHIFT) {
+		nr = min((r->end - addr) >> PAGE_SHIFT, invlpgb_count_max);
+		__invlpgb(0, 0, addr, nr, 0, INVLPGB_VA);
+	}
+	__tlbsync();
 }
`,
    settings: { features: ['INVLPGB'] },
    delta: { INVLPGB: 'ceil(n/max)', TLBSYNC: '1' },
  },
  {
    name: 'arm64: a process with one thread flushes its own PE only',
    path: 'arch/arm64/include/asm/tq.h',
    patch: `
 static inline void tq_flush_mm(struct mm_struct *mm)
 {
 	unsigned long asid = __TLBI_VADDR(0, ASID(mm));
 
+	if (atomic_read(&mm->mm_users) == 1) {
+		dsb(nshst);
+		__tlbi(aside1, asid);
+		dsb(nsh);
+		return;
+	}
 	dsb(ishst);
 	__tlbi(aside1is, asid);
 	__tlbi_user(aside1is, asid);
 	dsb(ish);
 }
`,
    settings: { features: ['KPTI'] },
    delta: { TLBI_ASID: '1', TLBI_ASID_IS: '-2' },
  },
  {
    name: 'bit 63 or-ed in on a condition that the changed line guards',
    patch: `
 static void tq_load(unsigned long cr3, bool keep)
 {
+	if (static_cpu_has(X86_FEATURE_PCID) && keep)
+		cr3 |= X86_CR3_PCID_NOFLUSH;
 	write_cr3(cr3);
 }
`,
    settings: { features: ['PCID'] },
    delta: { CR3_FLUSH: '-1', CR3_NOFLUSH: '1' },
  },
  {
    name: 'PGE toggled by the helpers that take bits',
    patch: `
 static void tq_toggle(void)
 {
-	cr4_clear_bits_irqsoff(X86_CR4_PGE);
-	cr4_set_bits_irqsoff(X86_CR4_PGE);
+	__flush_tlb_all();
 }
`,
    settings: { features: ['INVPCID'] },
    delta: { CR4_WRITE: '-2', INVPCID_ALL_GLOBAL: '1' },
  },
  {
    name: 'a range walked table by table has n pages, not more',
    patch: `
 void tq_walk(unsigned long start, unsigned long end)
 {
 	unsigned long addr, next;
 
 	for (addr = start; addr < end; addr = next) {
 		next = pmd_addr_end(addr, end);
 		for (; addr < next; addr += PAGE_SIZE)
-			invpcid_flush_one(0, addr);
+			asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
 	}
 }
`,
    delta: { INVPCID_ADDR: '-n', INVLPG: 'n' },
  },
  {
    name: 'code behind a check for bugs still runs',
    patch: `
 static void tq_flush(struct tq *t)
 {
 	BUG_ON(t->depth != 1);
 	if (WARN_ON_ONCE(!t->mapped))
 		return;
+	asm volatile("invlpg (%0)" : : "r" (t->addr) : "memory");
 }
`,
    delta: { INVLPG: '1' },
  },
  {
    name: 'code behind a certain bug does not',
    patch: `
 static void tq_flush(struct tq *t)
 {
+	BUG();
 	asm volatile("invlpg (%0)" : : "r" (t->addr) : "memory");
 }
`,
    delta: { INVLPG: '-1' },
  },
  {
    name: 'a flag for the first turn lets its branch run once',
    patch: `
 static void tq_flush(unsigned long s, unsigned long e)
 {
+	bool first = true;
+
+	for (; s < e; s += PAGE_SIZE) {
+		if (first) {
+			invpcid_flush_all();
+			first = false;
+		}
+		asm volatile("invlpg (%0)" : : "r" (s) : "memory");
+	}
 }
`,
    delta: { INVPCID_ALL_GLOBAL: '1', INVLPG: 'n' },
  },
  {
    name: 'loops that count down, or by what is left',
    patch: `
 static void tq_flush(unsigned long start, unsigned long end, size_t size)
 {
+	while (end > start) {
+		end -= PAGE_SIZE;
+		asm volatile("invlpg (%0)" : : "r" (end) : "memory");
+	}
+	for (; size; size -= PAGE_SIZE)
+		invpcid_flush_one(0, size);
 }
`,
    delta: { INVLPG: 'n', INVPCID_ADDR: 'n' },
  },
  {
    name: 'a recursive descent is not followed for ever',
    patch: `
 static void tq_walk(struct tq *t, int level)
 {
 	if (level)
 		tq_walk(t->next, level - 1);
+	asm volatile("invlpg (%0)" : : "r" (t->addr) : "memory");
 }
`,
    delta: { INVLPG: '1' },
  },
];

describe('kinds of changes', function () {
  this.timeout(20_000);
  for (const { name, path, heading, patch, settings, delta, other } of kinds)
    it(name, async () => {
      const document = await priced(patchOf(path ?? 'arch/x86/mm/tq.c', patch, heading), settings);
      const [hunk] = document.hunks;
      assert.equal(hunk!.byName, false, hunk!.unknown.map(({ why }) => why).join());
      assert.deepEqual(shown(hunk!.delta), canonical(delta));
      assert.deepEqual(hunk!.other && shown(hunk!.other.delta), other ? canonical(other) : null);
    });
});

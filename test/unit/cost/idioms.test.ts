/** Patches of several hunks or files, in the manners of kernel patches; every difference derived by hand. */
import { strict as assert } from 'node:assert';
import { canonical, patchOf, priced, shown, type Settings } from './support';

type Delta = Readonly<Record<string, string>>;

interface Idiom {
  readonly name: string;
  /** Hunk bodies, each with its path. */
  readonly hunks: readonly (readonly [path: string, body: string, start?: number])[];
  readonly settings?: Settings;
  /** One difference a hunk. */
  readonly deltas: readonly Delta[];
  readonly total?: Delta;
}

const idioms: readonly Idiom[] = [
  {
    name: 'a function that moves within a file is added in one hunk and removed in the other',
    hunks: [
      [
        'arch/x86/mm/tq.c',
        `
 #include "tq.h"
 
+static void tq_moved(unsigned long addr)
+{
+	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
+	invpcid_flush_one(0, addr);
+}
+
 static int tq_first(void)
`,
        20,
      ],
      [
        'arch/x86/mm/tq.c',
        `
 }
 
-static void tq_moved(unsigned long addr)
-{
-	asm volatile("invlpg (%0)" : : "r" (addr) : "memory");
-	invpcid_flush_one(0, addr);
-}
-
 static int tq_last(void)
`,
        400,
      ],
    ],
    deltas: [
      { INVLPG: '1', INVPCID_ADDR: '1' },
      { INVLPG: '-1', INVPCID_ADDR: '-1' },
    ],
    total: {},
  },
  {
    name: 'hypercalls to KVM and Hyper-V',
    hunks: [
      [
        'arch/x86/kernel/tqkvm.c',
        `
 static void tq_notify(u64 input, void *page)
 {
-	kvm_hypercall2(KVM_HC_KICK_CPU, 0, input);
-	hv_do_hypercall(input, page, NULL);
+	hv_do_fast_hypercall8(TQ_CODE, input);
 }
`,
      ],
    ],
    deltas: [{ HYPERCALL: '-1' }],
  },
  {
    name: 'a loop variable that a callback is given the address of: the callback only reads it',
    hunks: [
      [
        'arch/x86/mm/tq.c',
        `
 static void tq_page(void *info)
 {
 	asm volatile("invlpg (%0)" : : "r" (*(unsigned long *)info) : "memory");
 }
 
 static void tq_range(unsigned long start, unsigned long end)
 {
-	unsigned long addr;
-
-	for (addr = start; addr < end; addr += PAGE_SIZE)
-		on_each_cpu(tq_page, &addr, 1);
+	smp_call_function(tq_page, &start, 1);
 }
`,
      ],
    ],
    deltas: [{ INVLPG: 'c-n-c*n', IPI: 'c-c*n', IPI_WAIT: '1-n' }],
  },
  {
    name: 'a loop over an array by its number of pages',
    hunks: [
      [
        'arch/x86/mm/tq.c',
        `
 static void tq_list(struct page **pages, int npages)
 {
 	int i;
 
 	for (i = 0; i < npages; i++)
-		flush_tlb_one_kernel((unsigned long)page_address(pages[i]));
+		invpcid_flush_one(0, (unsigned long)page_address(pages[i]));
 }
`,
      ],
    ],
    deltas: [{ INVLPG: '-n', INVPCID_ADDR: 'n' }],
  },
  {
    name: 'the mask of one CPU reaches one CPU',
    hunks: [
      [
        'xen/arch/x86/tq_smp.c',
        `
 static void tq_ipi(void *unused)
 {
     invpcid_flush_all();
 }
 
 void tq_each(const cpumask_t *mask)
 {
     unsigned int cpu;
 
     for_each_cpu ( cpu, mask )
-        on_selected_cpus(cpumask_of(cpu), tq_ipi, NULL, 1);
+        on_selected_cpus(cpumask_of(cpu), tq_ipi, NULL, 0);
+
+    flush_tlb_one_mask(cpumask_of(tq_last), tq_addr);
 }
`,
      ],
    ],
    // c calls, each to one CPU, no longer wait; one more flush of one page on one CPU.
    deltas: [{ INVLPG: '1', IPI: '1', IPI_WAIT: '1-c' }],
  },
  {
    name: 'assembly: a branch that now leads to a write of its own; the jump around it is no work',
    hunks: [
      [
        'arch/x86/entry/tq.S',
        `
 SYM_CODE_START_LOCAL(tq_leave)
 	testq	$(1<<12), %r14
-	jz	.Ltq_skip
+	jz	.Ltq_kernel
 	movq	%r14, %cr3
+	jmp	.Ltq_skip
+.Ltq_kernel:
+	btsq	$63, %r14
+	movq	%r14, %cr3
 .Ltq_skip:
 	ret
 SYM_CODE_END(tq_leave)
`,
      ],
    ],
    settings: { features: ['PCID'] },
    // The pass reaches the new lines: there nothing was written before.
    deltas: [{ CR3_NOFLUSH: '1' }],
  },
  {
    name: 'only what a flush of everything does changes: the pass reaches it',
    hunks: [
      [
        'arch/x86/mm/tq.c',
        `
 static void tq_flush(const struct tq_info *f)
 {
 	unsigned long addr;
 
 	if (f->end == TLB_FLUSH_ALL) {
-		native_write_cr3(__native_read_cr3());
+		invpcid_flush_single_context(f->pcid);
 		return;
 	}
 	for (addr = f->start; addr < f->end; addr += PAGE_SIZE)
 		invpcid_flush_one(f->pcid, addr);
 }
`,
      ],
    ],
    deltas: [{ CR3_FLUSH: '-1', INVPCID_CTX: '1' }],
  },
  {
    name: 'a ceiling that is new: a range stays under it',
    hunks: [
      [
        'arch/x86/mm/tq.c',
        `
 static void tq_flush(const struct tq_info *f)
 {
 	unsigned long addr;
 
+	if ((f->end - f->start) >> PAGE_SHIFT > tlb_single_page_flush_ceiling) {
+		invpcid_flush_single_context(f->pcid);
+		return;
+	}
 	for (addr = f->start; addr < f->end; addr += PAGE_SIZE)
 		invpcid_flush_one(f->pcid, addr);
 }
`,
      ],
    ],
    deltas: [{}],
  },
  {
    name: "Xen's flags say whether one page or everything is flushed",
    hunks: [
      [
        'xen/arch/x86/mm/tq.c',
        `
 static void tq_update(struct domain *d, const void *va)
 {
-    flush_area_mask(d->dirty_cpumask, va, FLUSH_TLB | FLUSH_ORDER(0));
+    flush_area_local(va, FLUSH_TLB | FLUSH_VA_VALID);
 }
`,
      ],
    ],
    settings: { features: ['INVPCID'] },
    // One page on the CPUs of the mask and here, by interrupts that are waited for; then all pages here.
    deltas: [{ INVLPG: '-1-c', IPI: '-c', IPI_WAIT: '-1', INVPCID_ALL_GLOBAL: '1' }],
  },
  {
    name: 'a goto back on a failed read of a sequence is a retry; the entries of a table are 512',
    hunks: [
      [
        'arch/x86/mm/tq.c',
        `
 static void tq_read(struct tq *t, unsigned long addr)
 {
 	unsigned int seq;
 	int i;
 
 again:
 	seq = read_seqbegin(&t->lock);
+	mb();
 	if (read_seqretry(&t->lock, seq))
 		goto again;
 
+	for (i = 0; i < PTRS_PER_PTE; i++, addr += PAGE_SIZE)
+		invpcid_flush_one(0, addr);
 }
`,
      ],
    ],
    deltas: [{ MFENCE: '1', INVPCID_ADDR: '512' }],
  },
];

/** One text; hunks of the same file that follow each other share its headers. */
const textOf = (hunks: Idiom['hunks']): string => {
  let last = '';
  return hunks
    .map(([path, body, start = 100]) => {
      const text = patchOf(path, body).replace('@@ -100,', `@@ -${start},`).replace(' +100,', ` +${start},`);
      const same = path === last;
      last = path;
      return same ? text.slice(text.indexOf('@@ ')) : text;
    })
    .join('');
};

describe('idioms over several hunks', function () {
  this.timeout(20_000);
  for (const { name, hunks, settings, deltas, total } of idioms)
    it(name, async () => {
      const document = await priced(textOf(hunks), settings);
      assert.deepEqual(
        document.hunks.map(hunk => shown(hunk.delta)),
        deltas.map(canonical),
      );
      if (total) assert.deepEqual(shown(document.total.delta), canonical(total));
    });

  it('a body that a macro is given at file level is read by name, and says so', async () => {
    const patch = patchOf(
      'arch/x86/mm/tq.c',
      `
 TQ_WORK(void, tq_flush, (unsigned long addr), {
-	invpcid_flush_one(0, addr);
+	invpcid_flush_all();
 })
`,
    );
    const [hunk] = (await priced(patch)).hunks;
    assert.equal(hunk!.byName, true);
    assert.ok(hunk!.unknown.length > 0);
    assert.deepEqual(shown(hunk!.delta), canonical({ INVPCID_ADDR: '-1', INVPCID_ALL_GLOBAL: '1' }));
  });
});

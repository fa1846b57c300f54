/** Invented patches and mails that change TLB code: the same text for every run. */
import { normalPatch } from './synthetic';

const bodies = [
  ['-\tflush_tlb_mm(mm);', '+\tfor (addr = start; addr < end; addr += PAGE_SIZE)', '+\t\t__flush_tlb_one_user(addr);'],
  ['+\tif (tq_lazy(mm))', '+\t\treturn;', ' \tflush_tlb_range(vma, start, end);'],
  ['-\t__flush_tlb_all();', '+\tif (static_cpu_has(X86_FEATURE_PCID))', '+\t\t__flush_tlb_global();', '+\telse', '+\t\t__flush_tlb_all();'],
  ['+\ton_each_cpu_mask(mm_cpumask(mm), tq_flush_local, mm, 1);', '-\ton_each_cpu(tq_flush_local, mm, 1);'],
]; // prettier-ignore

/** One hunk with the whole of a small function. */
function hunk(at: number, start: number): string {
  const lines = [
    ` static void tq_sync_${at}(struct mm_struct *mm, struct vm_area_struct *vma,`,
    ' \t\t\tunsigned long start, unsigned long end)',
    ' {',
    ' \tunsigned long addr;',
    ' ',
    ' \tif (!mm || start >= end)',
    ' \t\treturn;',
    ' ',
    ` \ttq_count_${at}++;`,
    ...bodies[at % bodies.length]!,
    ' \ttq_trace(mm, start, end);',
    ' }',
    ' ',
    ` static int tq_state_${at};`,
  ];
  const count = (mark: string): number => lines.filter(line => line.startsWith(mark)).length;
  const [added, removed] = [count('+'), count('-')];
  return `@@ -${start},${lines.length - added} +${start},${lines.length - removed} @@\n${lines.join('\n')}\n`;
}

const header = (path: string): string => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n`;

/** So many lines of hunks that all flush, twenty a file. */
export function flushPatch(lines: number): string {
  const pieces: string[] = [];
  for (let at = 0, count = 0; count < lines; at++) {
    if (at % 20 === 0) pieces.push(header(`arch/x86/mm/tq${at / 20}.c`));
    const one = hunk(at, 10 + (at % 20) * 40);
    pieces.push(one);
    count += one.split('\n').length - 1;
  }
  return pieces.join('');
}

/** An mbox: three files of drivers in each mail, and a flush in one of forty. */
export function archive(bytes: number): string {
  const files = normalPatch(3_000_000).split(/(?=^diff --git)/m);
  const mails: string[] = [];
  for (let at = 0, length = 0; length < bytes; at++) {
    const own = [0, 1, 2].map(more => files[(at * 3 + more) % files.length]!);
    if (at % 40 === 0) own.push(header(`arch/x86/mm/tq${at % 97}.c`) + hunk(at, 10 + (at % 400)));
    const minute = String(at % 60).padStart(2, '0');
    const mail = [
      'From mboxrd@z Thu Jan  1 00:00:00 1970',
      `From: Tq Author <tq${at}@example.org>`,
      `Date: Tue, 5 Mar 2024 10:${minute}:00 +0000`,
      `Message-ID: <tq.${at}@example.org>`,
      `Subject: [PATCH v${1 + (at % 3)} ${1 + (at % 9)}/9] tq: part ${at}: change the way it counts`,
      '',
      'Some words about why this is needed, which a mail has anyway.',
      '',
      'Signed-off-by: Tq Author <tq@example.org>',
      '---',
      `${own.join('')}--`,
      '2.43.0',
      '',
      '',
    ].join('\n');
    mails.push(mail);
    length += mail.length;
  }
  return mails.join('');
}

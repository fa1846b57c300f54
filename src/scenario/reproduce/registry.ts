/** The tables that can be reproduced: a new one is its file in `published/`, a model, and one line here. */
import type { PublishedTable, Reproduction } from './model';
import r01 from './published/r01.json';
import r02 from './published/r02.json';
import r03 from './published/r03.json';
import r04 from './published/r04.json';
import r08 from './published/r08.json';
import r09 from './published/r09.json';
import r10 from './published/r10.json';
import r11 from './published/r11.json';
import r12 from './published/r12.json';
import r13 from './published/r13.json';
import r14 from './published/r14.json';
import g1 from './published/g1.json';
import { deferredFlush } from './tables/deferredFlush';
import { flushBySize } from './tables/flushBySize';
import { invpcidOrCr3 } from './tables/invpcidOrCr3';
import { shootdown } from './tables/shootdown';
import { xenGlobalPages } from './tables/xenGlobalPages';
import { xpfoBuild } from './tables/xpfoBuild';
import { xpfoGuest } from './tables/xpfoGuest';
import { broadcast } from './tables/broadcast';
import { guestProtect } from './tables/guestProtect';
import { pingPong } from './tables/pingPong';
import { globalFlush } from './tables/globalFlush';
import { paravirtual } from './tables/paravirtual';

const pages = (y: string, ...columns: string[]) => ({ x: 'pages', y, columns });

export const reproductions: readonly Reproduction[] = [
  { published: r01, model: deferredFlush, plot: pages('cycles a call', 'concurrent', 'deferred') },
  { published: r02, model: flushBySize, plot: pages('cycles a flush', 'flush') },
  { published: r03, model: invpcidOrCr3, plot: pages('cycles a flush', 'with INVPCID', 'without') },
  {
    ...{ published: r04, model: shootdown },
    plot: { x: 'threads', y: 'ns an iteration', columns: ['before', 'RFC v1', 'RFC v2'] },
  },
  { published: r08, model: broadcast },
  { published: r09, model: guestProtect },
  { published: r10, model: pingPong },
  { published: r11, model: globalFlush },
  { published: r12, model: xpfoBuild },
  { published: r13, model: xpfoGuest },
  { published: r14, model: xenGlobalPages },
  { published: g1, model: paravirtual, plot: pages('cycles a call', 'madvise') },
] as readonly (Omit<Reproduction, 'published'> & { published: PublishedTable })[];

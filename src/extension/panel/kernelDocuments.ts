/** Files of a kernel tree as read-only documents. All that says which is in the address, so that they reopen after a restart. */
import * as vscode from 'vscode';
import type { Runs } from '../runs';
import type { PanelSource, PanelSubject } from './subject';

const scheme = 'tlbscope-kernel';

interface Address {
  readonly scenario: string;
  readonly patch: string | null;
  readonly variant: string;
}

/** `path`: in the tree, such as `arch/x86/mm/tlb.c`. */
export const kernelUri = ({ id, patch }: PanelSubject, variant: string, path: string): vscode.Uri =>
  vscode.Uri.from({
    scheme,
    path: `/${variant}/${path}`,
    query: JSON.stringify({ scenario: id, patch, variant } satisfies Address),
  });

function addressOf(uri: vscode.Uri): Address | null {
  try {
    const { scenario, patch, variant } = JSON.parse(uri.query) as Partial<Record<keyof Address, unknown>>;
    if (typeof scenario !== 'string' || typeof variant !== 'string') return null;
    return { scenario, variant, patch: typeof patch === 'string' ? patch : null };
  } catch {
    return null;
  }
}

export class KernelDocuments implements vscode.TextDocumentContentProvider {
  constructor(
    private readonly runs: Runs,
    private readonly source: PanelSource,
    /** What the panel shows: asked first, since its scenario may not be saved. */
    private readonly shown: () => PanelSubject | null,
  ) {}

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const address = addressOf(uri);
    const path = address && uri.path.slice(`/${address.variant}/`.length);
    if (!address || !path) return 'TLBScope: this address names no file of a kernel tree.\n';
    const shown = this.shown();
    const subject =
      shown?.id === address.scenario && shown.patch === address.patch
        ? shown
        : await this.source.subject(address.scenario, address.patch);
    if (!subject) return 'TLBScope: the scenario that this file belongs to is not there any more.\n';
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const file = { request: subject.request, variant: address.variant, path };
    return (
      (await this.runs.treeFile(file, abort.signal)) ?? `TLBScope: the kernel tree has no file ${path}.\n`
    );
  }
}

/**
 * Decoded parts of a mail as documents of their own. The whole state is in the address, so that one reopens after a
 * restart: the path is only the tab's title, the query names the mail and the part.
 */
import * as vscode from 'vscode';
import type { Releasable, Shared } from './context';
import type { WorkerClient } from './workerClient';

const decodedScheme = 'tlbscope-decoded';

interface PartAddress {
  readonly mail: string;
  readonly part: number;
}

/** Ends in `.patch`, which makes it a document in the language diff. */
export function decodedUri(mail: vscode.Uri, part: number, name: string): vscode.Uri {
  const base = mail.path.split('/').pop() ?? 'mail';
  const title = (name || `${base} part ${part + 1}`).replace(/[^\w .-]/g, '_').slice(0, 80);
  const address: PartAddress = { mail: mail.toString(), part };
  return vscode.Uri.from({
    scheme: decodedScheme,
    path: `/${title.replace(/\.(?:patch|diff)$/, '')}.patch`,
    query: JSON.stringify(address),
  });
}

function partAddress(query: string): PartAddress | undefined {
  let value: unknown;
  try {
    value = JSON.parse(query);
  } catch {
    // Not one of ours: answered like any other malformed address.
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { mail, part } = value as Partial<PartAddress>;
  return typeof mail === 'string' && Number.isSafeInteger(part) ? { mail, part: part! } : undefined;
}

export class DecodedDocuments implements vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly shared: Shared,
    private readonly worker: WorkerClient,
  ) {}

  register(): Releasable[] {
    return [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(decodedScheme, this),
      // What the mail says now, its decoded parts say too.
      this.shared.models.onDidChange(({ uri }) => {
        for (const document of vscode.workspace.textDocuments)
          if (
            document.uri.scheme === decodedScheme &&
            partAddress(document.uri.query)?.mail === uri.toString()
          )
            this.changed.fire(document.uri);
      }),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const address = partAddress(uri.query);
    if (!address) return 'TLBScope: this address names no part of a mail.\n';
    const mail = await vscode.workspace.openTextDocument(vscode.Uri.parse(address.mail, true));
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    const text = await this.worker.decode(mail.getText(), address.part, abort.signal);
    return text ?? 'TLBScope: the mail no longer has this part.\n';
  }
}

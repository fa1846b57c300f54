/** Links: message ids to the list archive, commits to the kernel's tree, paths to files that the workspace has. */
import * as vscode from 'vscode';
import type { LinkReport, LinkTarget } from '../../protocol/report';
import { patchSelector, type Releasable, type Shared } from '../context';

/** Where a message or a commit can be read. Nothing is fetched: the reader's browser opens it on a click. */
const messageAddress = (id: string): string => `https://lore.kernel.org/r/${encodeURIComponent(id)}`;
const commitAddress = (sha: string): string => `https://git.kernel.org/linus/${sha}`;

/** Paths of a patch that are looked up in the workspace; more would keep a remote file system busy. */
const mostPaths = 300;

export class Links implements vscode.DocumentLinkProvider {
  /** Path → the file of the workspace, or null; forgotten when files come, go or are renamed. */
  private readonly found = new Map<string, Promise<vscode.Uri | null>>();

  constructor(private readonly shared: Shared) {}

  register(): Releasable[] {
    const forget = (): void => this.found.clear();
    return [
      vscode.workspace.onDidCreateFiles(forget),
      vscode.workspace.onDidDeleteFiles(forget),
      vscode.workspace.onDidRenameFiles(forget),
      vscode.workspace.onDidChangeWorkspaceFolders(forget),
      vscode.languages.registerDocumentLinkProvider(patchSelector, this),
    ];
  }

  async provideDocumentLinks(document: vscode.TextDocument): Promise<vscode.DocumentLink[]> {
    const model = await this.shared.models.get(document);
    if (!model) return [];
    const links = await Promise.all(
      model.report.links.map(link => this.link(document, link, model.lines.start(link.line))),
    );
    return links.filter(link => link !== null);
  }

  private async link(
    document: vscode.TextDocument,
    { start, end, target }: LinkReport,
    line: number,
  ): Promise<vscode.DocumentLink | null> {
    if (line >= document.lineCount) return null;
    const address = await this.address(target);
    if (!address) return null;
    const link = new vscode.DocumentLink(new vscode.Range(line, start, line, end), address);
    link.tooltip = tooltips[target.kind];
    return link;
  }

  private async address(target: LinkTarget): Promise<vscode.Uri | null> {
    if (target.kind === 'message-id') return vscode.Uri.parse(messageAddress(target.id), true);
    if (target.kind === 'commit') return vscode.Uri.parse(commitAddress(target.sha), true);
    const file = await this.inWorkspace(target.path);
    return file && file.with({ fragment: `L${target.line}` });
  }

  private inWorkspace(path: string): Promise<vscode.Uri | null> {
    const known = this.found.get(path);
    if (known) return known;
    if (this.found.size >= mostPaths) return Promise.resolve(null);
    const asked = this.lookUp(path);
    this.found.set(path, asked);
    return asked;
  }

  /** `path` is relative and has no `..`: the report holds no other. */
  private async lookUp(path: string): Promise<vscode.Uri | null> {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const uri = vscode.Uri.joinPath(folder.uri, path);
      try {
        const { type } = await vscode.workspace.fs.stat(uri);
        if (type === vscode.FileType.File) return uri;
      } catch {
        // Not there: the usual case.
      }
    }
    return null;
  }
}

const tooltips = {
  'message-id': 'Open the message in the list archive',
  commit: 'Open the commit',
  path: 'Open the file of this workspace',
} as const;

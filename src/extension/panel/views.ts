/** Where the page is shown: the view of its own container, and tabs beside the editor. */
import * as vscode from 'vscode';
import type { PanelAction } from '../../protocol/panel';
import { newNonce, pageHtml } from './html';
import type { PanelModel } from './model';
import { PanelPage, type PageActions } from './page';

export const viewId = 'tlbscope.panel';
export const tabType = 'tlbscope.panelTab';

/** A reload keeps tabs; this is given to `registerWebviewPanelSerializer`. */
export class PanelViews implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer {
  private readonly pages = new Set<PanelPage>();
  private view: vscode.WebviewView | undefined;
  private tab: vscode.WebviewPanel | undefined;

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly model: PanelModel,
    private readonly actions: PageActions,
    private readonly log: (line: string) => void,
    /** The first page is there. */
    private readonly opened: () => void,
  ) {
    model.listen(change => this.pages.forEach(page => page.changed(change)));
  }

  register(): vscode.Disposable[] {
    return [
      vscode.window.registerWebviewViewProvider(viewId, this),
      vscode.window.registerWebviewPanelSerializer(tabType, this),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const page = this.fill(view.webview, false);
    view.onDidChangeVisibility(() => view.visible || page.hidden());
    view.onDidDispose(() => {
      this.pages.delete(page);
      if (this.view === view) this.view = undefined;
    });
  }

  deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
    this.keepTab(panel);
    return Promise.resolve();
  }

  get tabColumn(): vscode.ViewColumn | undefined {
    return this.tab?.visible ? this.tab.viewColumn : undefined;
  }

  /** Shows the panel: a tab that is there, else the view. */
  async reveal(): Promise<void> {
    if (this.tab) return this.tab.reveal(undefined, true);
    await vscode.commands.executeCommand(`${viewId}.focus`, { preserveFocus: true });
  }

  openTab(): void {
    if (this.tab) return this.tab.reveal();
    this.keepTab(
      vscode.window.createWebviewPanel(
        tabType,
        'TLB State',
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: false },
        {},
      ),
    );
  }

  act(action: PanelAction): void {
    // One page is enough: the others follow.
    const [page] = [...this.pages];
    page?.act(action);
  }

  private keepTab(panel: vscode.WebviewPanel): void {
    this.tab = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extensionUri, 'media/icon.png');
    const page = this.fill(panel.webview, true);
    panel.onDidChangeViewState(() => panel.visible || page.hidden());
    panel.onDidDispose(() => {
      this.pages.delete(page);
      if (this.tab === panel) this.tab = undefined;
    });
  }

  private fill(webview: vscode.Webview, inEditor: boolean): PanelPage {
    const root = vscode.Uri.joinPath(this.extensionUri, 'dist/webview');
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    const page = new PanelPage(
      this.model,
      this.actions,
      message => void webview.postMessage(message),
      this.log,
    );
    this.pages.add(page);
    webview.onDidReceiveMessage(message => page.receive(message));
    const address = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(root, name)).toString();
    webview.html = pageHtml({
      ...{ script: address('panel.js'), style: address('panel.css'), source: webview.cspSource },
      ...{ nonce: newNonce(), inEditor },
    });
    this.opened();
    return page;
  }
}

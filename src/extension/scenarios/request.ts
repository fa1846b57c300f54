/** What is run when a scenario is run for a document. */
import type * as vscode from 'vscode';
import type { RunRequest } from '../../protocol/run';
import { basisOf, type Basis } from '../present/scenarios';
import type { Settings } from '../settings';
import type { DocumentScenarios } from './attachments';
import type { LibraryScenario } from './library';

/** A scenario, for a document under review or by itself. */
export interface Subject {
  readonly scenario: LibraryScenario;
  readonly document: DocumentScenarios | null;
}

export interface PlannedRun {
  readonly request: RunRequest;
  readonly basis: Basis;
  /** The patch that is compared; null: the scenario's own variants are. */
  readonly patch: vscode.Uri | null;
}

const named = ({ builtin, name, text }: LibraryScenario): RunRequest['scenario'] =>
  builtin ? { kind: 'builtin', name } : { kind: 'text', name, text };

/** Features of the settings are for scenarios that name none; `CONFIG_X=n` is no feature of a CPU. */
function featuresFor(own: readonly string[] | null, settings: Settings): readonly string[] | null {
  if (own !== null) return null;
  return settings.features?.filter(name => !name.startsWith('CONFIG_') && !name.includes('=')) ?? null;
}

/** Name of the folder that an address of a kernel tree is about. */
const treeName = (address: string | null): string =>
  address === null
    ? ''
    : decodeURIComponent(address.replace(/#\d+$/, '').split('/').filter(Boolean).pop() ?? '');

/** Before and after the patch where it applies to the scenario's kernel tree, else the scenario's own variants. */
export function planRun({ scenario, document }: Subject, settings: Settings): PlannedRun {
  const info = scenario.described.ok ? scenario.described.info : null;
  const kernel = info?.kernel ?? '';
  const patch = document?.patch ?? null;
  const basis = basisOf(kernel, patch?.reviews ?? {}, treeName(patch?.tree ?? null));
  const reviewed = patch !== null && basis.compares === 'patch';
  return {
    basis,
    patch: reviewed ? document!.uri : null,
    request: {
      scenario: named(scenario),
      patch: reviewed ? patch.text : null,
      tree: null,
      ...(reviewed && basis.onWorkspaceTree ? { treeAddress: patch.tree } : {}),
      variants: [],
      set: {},
      machine: null,
      defaultMachine: settings.machine,
      features: featuresFor(info?.features ?? null, settings),
    },
  };
}

/** Whether two requests ask the same. */
export const sameRequest = (a: RunRequest, b: RunRequest): boolean =>
  a.patch === b.patch &&
  JSON.stringify({ ...a, patch: null, tree: null }) === JSON.stringify({ ...b, patch: null, tree: null }) &&
  a.tree === b.tree;

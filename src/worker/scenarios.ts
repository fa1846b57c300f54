/** Scenario files, described, and those that say something about a document. In steps, so that it can be stopped. */
import { modelTree } from '../kernel/tree';
import { xenTree } from '../scenario/xenTree';
import { coreFiles, userTree } from '../kernel/userTree';
import type { PatchDocument, PatchFile } from '../patch/model';
import { workspaceTree } from '../protocol/scenarios';
import type { Attachment, KeyedScenario, ScenarioHostMessage } from '../protocol/scenarios';
import { fitting, type Subject } from '../scenario/appliesTo';
import { describeScenario } from '../scenario/describe';
import { newestFiles, reviewOn, type Review } from '../scenario/review';
import { patchSubject, textSubject } from '../scenario/subject';

type Describe = Extract<ScenarioHostMessage, { type: 'describe' }>;
type Attach = Extract<ScenarioHostMessage, { type: 'attach' }>;

/** Yields after each file. */
export function* describing({ texts }: Describe): Generator<void, KeyedScenario[], void> {
  const scenarios: KeyedScenario[] = [];
  for (const { key, text } of texts) {
    scenarios.push({ key, described: describeScenario(text) });
    yield;
  }
  return scenarios;
}

/** A tree of the user's must have TLB code that can run. */
function reviewOnUserTree(tree: ReadonlyMap<string, string>, files: readonly PatchFile[]): Review {
  if (userTree(tree)) return reviewOn(tree, files);
  return { applies: false, reason: `it has no ${coreFiles[0]}`, line: null };
}

/** A reply that only quotes is about what it quotes. */
function subjectOf({ path, text }: Attach, document: PatchDocument | null): Subject {
  if (document?.files.length) return patchSubject(document.files);
  if (document?.quoted.length) return patchSubject(document.quoted);
  return textSubject(path, text);
}

/** `document`: the text, read as a patch; null for a source file. `tree`: of the workspace, as far as it was read. */
export function* attaching(
  request: Attach,
  document: PatchDocument | null,
  tree: ReadonlyMap<string, string> | null,
): Generator<void, Attachment, void> {
  const isPatch = document !== null && document.files.length > 0;
  const subject = subjectOf(request, document);
  yield;
  const fits = request.candidates.flatMap(({ key, appliesTo }) => {
    const because = fitting(appliesTo, subject);
    return because.length ? [{ key, because }] : [];
  });
  yield;
  if (!isPatch || !fits.length) return { fits, isPatch, reviews: {} };
  const files = newestFiles(document);
  const reviews: Record<string, Review> = {
    linux: reviewOn(modelTree(), files),
    xen: reviewOn(xenTree(), files),
  };
  if (tree) reviews[workspaceTree] = reviewOnUserTree(tree, files);
  return { fits, isPatch, reviews };
}

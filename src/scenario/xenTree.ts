/**
 * The bundled tree `xen`: the model's Linux as a paravirtual guest, with the border of the hypervisor around it. The guest
 * is the tree `linux` with one patch; files of `models/xen` come on top of it, or in place of its own.
 */
import { files } from 'models:xen';
import { modelTree } from '../kernel/tree';
import { applyToTree } from '../patch/apply';
import { readPatch } from '../patch/read';

const guestPatch = 'guest.patch';
const variantFolder = 'variants/';

/** Patches of the tree by name. */
export const xenPatches: ReadonlyMap<string, string> = new Map(
  Object.entries(files)
    .filter(([path]) => path.startsWith(variantFolder))
    .map(([path, text]) => [path.slice(variantFolder.length).replace(/\.patch$/, ''), text]),
);

/** Its own map each time. */
export function xenTree(): Map<string, string> {
  const guest = applyToTree(modelTree(), readPatch(files[guestPatch] ?? '').files);
  if (!guest.ok) throw new Error(`the guest's patch does not apply to ${guest.path}: ${guest.reason}`);
  const own = Object.entries(files).filter(
    ([path]) => path !== guestPatch && !path.startsWith(variantFolder),
  );
  return new Map([...guest.tree, ...own]);
}

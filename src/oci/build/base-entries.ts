import { access } from "node:fs/promises";
import type { LayerEntry } from "./image-layer.ts";

/** The user of an image that needs no rights, as the distroless images have it. */
export const unprivilegedUser = 65532;

const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** What programs expect of any system: users, names of hosts, certificates, a place for temporary files. */
export async function baseEntries(): Promise<LayerEntry[]> {
  const user = `tenon:x:${unprivilegedUser}:${unprivilegedUser}:Tenon:/home/tenon:/sbin/nologin\n`;
  return [
    { path: "/etc/passwd", contents: `root:x:0:0:root:/root:/sbin/nologin\n${user}` },
    { path: "/etc/group", contents: `root:x:0:\ntenon:x:${unprivilegedUser}:\n` },
    { path: "/etc/nsswitch.conf", contents: "passwd: files\ngroup: files\nhosts: files dns\n" },
    { path: "/home/tenon", directory: true, owner: unprivilegedUser },
    { path: "/tmp", directory: true, mode: 0o1777 },
    // Node brings certificates of its own; git and others read these.
    ...((await isThere(certificates)) ? [{ path: certificates, copyOf: certificates, mode: 0o644 }] : []),
  ];
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

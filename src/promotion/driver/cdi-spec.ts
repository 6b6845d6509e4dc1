import { environmentDriver, environmentMount } from "./driver-names.ts";

/** The kind of the devices in our CDI files. */
const cdiKind = `${environmentDriver}/claim`;

/** What the kubelet tells the container runtime to add. */
export function cdiDeviceOf(uid: string): string {
  return `${cdiKind}=${uid}`;
}

/** https://github.com/cncf-tags/container-device-interface/blob/v1.1.0/SPEC.md: the file's name is free, but for its ending. */
export function cdiFileName(uid: string): string {
  return `${environmentDriver}-claim-${uid}.json`;
}

/**
 * What a container that uses a claim gets. The folder is mounted, not the file: a new token replaces the file, and a mount of
 * the file would show the old one.
 */
export function cdiSpec(uid: string, folder: string, environment: string): object {
  return {
    cdiVersion: "0.6.0",
    kind: cdiKind,
    devices: [
      {
        name: uid,
        containerEdits: {
          env: [`KUBECONFIG=${environmentMount}/kubeconfig`, `TENON_ENVIRONMENT=${environment}`],
          mounts: [
            {
              hostPath: folder,
              containerPath: environmentMount,
              options: ["ro", "nosuid", "nodev", "noexec", "bind"],
            },
          ],
        },
      },
    ],
  };
}

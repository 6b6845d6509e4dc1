import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError, type Logger } from "#base";
import {
  type ClaimName,
  type ClaimOutcome,
  decodeClaimNames,
  decodeRegistration,
  encodePluginInfo,
  encodePrepared,
  encodeUnprepared,
  type PreparedDevice,
} from "./kubelet-messages.ts";
import { type GrpcMethod, serveGrpc } from "./serve-grpc.ts";

/** What a driver does for the kubelet. Both may be called again for the same claim, whatever became of the first call. */
export interface KubeletPlugin {
  readonly name: string;
  prepare(claim: ClaimName, signal: AbortSignal): Promise<readonly PreparedDevice[]>;
  unprepare(claim: ClaimName, signal: AbortSignal): Promise<void>;
  /** The kubelet has taken the plugin, for the first time or after a restart of its own. */
  registered(): void;
}

const service = "v1.DRAPlugin";
const draPackage = "k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin";

/** The folder of a plugin below that of the kubelet. */
export function pluginDirectory(kubeletDirectory: string, name: string): string {
  return join(kubeletDirectory, "plugins", name);
}

/** Serves a driver to the kubelet of this node, which finds it by its socket in `plugins_registry`. */
export async function serveKubeletPlugin(
  plugin: KubeletPlugin,
  kubeletDirectory: string,
  log: Logger,
): Promise<AsyncDisposable> {
  const own = pluginDirectory(kubeletDirectory, plugin.name);
  const registry = join(kubeletDirectory, "plugins_registry");
  for (const directory of [own, registry]) await mkdir(directory, { recursive: true, mode: 0o750 });
  const endpoint = join(own, "dra.sock");
  await using sockets = new AsyncDisposableStack();
  sockets.use(
    await serveGrpc(
      endpoint,
      {
        [`/${draPackage}/NodePrepareResources`]: forEachClaim(
          "prepare",
          (claim, signal) => plugin.prepare(claim, signal),
          encodePrepared,
          log,
        ),
        [`/${draPackage}/NodeUnprepareResources`]: forEachClaim<undefined>(
          "unprepare",
          async (claim, signal) => {
            await plugin.unprepare(claim, signal);
            return undefined;
          },
          encodeUnprepared,
          log,
        ),
      },
      log,
    ),
  );
  const info = encodePluginInfo({ name: plugin.name, endpoint, services: [service] });
  // Last: the kubelet may call as soon as it finds the socket.
  sockets.use(
    await serveGrpc(
      join(registry, `${plugin.name}-reg.sock`),
      {
        "/pluginregistration.Registration/GetInfo": async () => info,
        "/pluginregistration.Registration/NotifyRegistrationStatus": async (request) => {
          const problem = decodeRegistration(request);
          if (problem === undefined) {
            log.info("registered with the kubelet");
            plugin.registered();
          } else {
            log.error("the kubelet does not take the driver", { problem });
          }
          return Buffer.alloc(0);
        },
      },
      log,
    ),
  );
  return sockets.move();
}

/** The claims of a call do not depend on each other: each has an outcome of its own. */
function forEachClaim<Value>(
  action: string,
  act: (claim: ClaimName, signal: AbortSignal) => Promise<Value>,
  encode: (outcomes: ReadonlyMap<string, ClaimOutcome<Value>>) => Buffer,
  log: Logger,
): GrpcMethod {
  return async (request, signal) => {
    const outcomes = decodeClaimNames(request).map(async (claim): Promise<[string, ClaimOutcome<Value>]> => {
      try {
        return [claim.uid, { value: await act(claim, signal) }];
      } catch (error) {
        log.warn(`cannot ${action} a claim`, { claim: `${claim.namespace}/${claim.name}`, error });
        return [claim.uid, { error: describeError(error) }];
      }
    });
    return encode(new Map(await Promise.all(outcomes)));
  };
}

import pino from "pino";
import { startDispatcher } from "#dispatcher/dispatcher.ts";
import { startReceiver } from "#scripts/lab/receiver.ts";
import { stopAudited } from "#tests/helpers/stop-audited.ts";
import { startCliService } from "./service.ts";

/** As `startCliService`, with a dispatcher that may deliver to a local receiver. */
export async function startDeliveringService() {
  const receiver = await startReceiver({ tls: false });
  const service = await startCliService({ DELIVERY_ALLOW: receiver.origin });
  const dispatcher = await startDispatcher(service.api.config, { log: pino({ level: "silent" }), version: "0.0.0" });
  return {
    ...service,
    receiver,
    async stop() {
      await stopAudited(dispatcher);
      await service.stop();
      await receiver.close();
    },
  };
}

import { DurableObject } from "cloudflare:workers";
import { Gone, type Once, RetryLater, receive } from "stopwatch-sdk/receive";

type Env = { STOPWATCH_SECRET: string; STOPWATCH_SECRET_NEXT: string; DELIVERIES: DurableObjectNamespace<Deliveries> };

export default {
  fetch(request, env) {
    return receive({
      secrets: [env.STOPWATCH_SECRET, env.STOPWATCH_SECRET_NEXT],
      once: onceIn(env.DELIVERIES),
      async onDelivery(delivery) {
        const { order } = delivery.json<{ order: string }>();
        if (order === "cancelled") throw new Gone(); // no attempt follows
        if (order === "unpaid") throw new RetryLater(60); // the next attempt comes in 60 s, or later
        console.log(`reminded of ${order}`);
      },
    })(request);
  },
} satisfies ExportedHandler<Env>;

/** A worker has many instances and keeps no memory, so each schedule has its own durable object. */
function onceIn(deliveries: Env["DELIVERIES"]): Once {
  return {
    begin: (id) => deliveries.getByName(id).begin(),
    finish: (id) => deliveries.getByName(id).finish(),
    fail: (id) => deliveries.getByName(id).fail(),
  };
}

/** The state of one schedule. A run that does not finish within a minute counts as lost, and another may begin. */
export class Deliveries extends DurableObject {
  async begin(): Promise<"new" | "busy" | "done"> {
    const state = await this.ctx.storage.get<{ isDone: boolean; at: number }>("state");
    if (state?.isDone) return "done";
    if (state && Date.now() - state.at < 60_000) return "busy";
    await this.ctx.storage.put("state", { isDone: false, at: Date.now() });
    return "new";
  }

  async finish(): Promise<void> {
    await this.ctx.storage.put("state", { isDone: true, at: Date.now() });
    await this.ctx.storage.setAlarm(Date.now() + 7 * 86_400_000);
  }

  async fail(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  /** After a week no repeat can come any more. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}

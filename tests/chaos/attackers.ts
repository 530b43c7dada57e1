import { getAdversaryOrThrow } from "./adversaries/adversaries.ts";
import type { Step } from "./adversaries/adversary.ts";
import type { Attack } from "./attacks.ts";
import type { Client } from "./client.ts";
import { preciseNow } from "./clock.ts";
import type { Evidence, Injected } from "./evidence.ts";
import type { Fleet } from "./fleet.ts";
import type { ReceiverProcess } from "./receiver-process.ts";

export type Attackers = ReturnType<typeof createAttackers>;

/**
 * Carries the attacks of a plan out: creates their schedules, deactivates their accounts, kills the dispatcher in the last
 * slot. What they did is in `attacks`.
 */
export function createAttackers(deps: {
  client: Client;
  fleet: Fleet;
  receiver: ReceiverProcess;
  /** Whether questions to the name server stay without an answer. */
  silenceNames: (silent: boolean) => void;
  /** The accounts of each adversary. */
  accounts: ReadonlyMap<string, string[]>;
  /** Of the dispatcher that nobody but the crash loop starts. */
  extraSlot: number;
  injected: Injected[];
}) {
  const { client, fleet, receiver, silenceNames, accounts, extraSlot, injected } = deps;
  const attacks: Evidence["attacks"] = [];

  const kill = () => {
    const entry: Injected = {
      ...{ kind: "kill", pid: null, slot: extraSlot, fromMs: preciseNow(), untilMs: Number.POSITIVE_INFINITY },
      ...{ byAdversary: true, note: "crash loop" },
    };
    injected.push(entry);
    entry.pid = fleet.kill(extraSlot);
  };

  const carryOut = async (step: Step, adversary: string, beganAtMs: number) => {
    const own = accounts.get(adversary) ?? [];
    switch (step.kind) {
      case "create":
        return client.createMany(adversary, own[step.account] as string, beganAtMs, step.orders);
      case "deactivate":
        return client.setActive(own, false);
      case "activate":
        return client.setActive(own, true);
      case "start":
        return fleet.start(extraSlot);
      case "kill":
        return kill();
    }
  };

  const begin = async ({ adversary, forMs, steps }: Attack) => {
    const fromMs = preciseNow();
    attacks.push({ adversary, fromMs, untilMs: fromMs + forMs });
    receiver.hold(adversary);
    if (adversary === "unresolved-names") silenceNames(true);
    for (const step of steps) client.later(step.atMs, () => carryOut(step, adversary, fromMs));
  };

  const end = async ({ adversary }: Attack) => {
    receiver.release(adversary);
    if (adversary === "unresolved-names") silenceNames(false);
    await client.setActive(accounts.get(adversary) ?? [], true);
  };

  return {
    attacks,
    /** How many are at work. */
    active: () => attacks.filter(({ untilMs }) => preciseNow() < untilMs).length,
    start(planned: readonly Attack[]) {
      for (const attack of planned) {
        getAdversaryOrThrow(attack.adversary);
        client.later(attack.atMs, () => begin(attack));
        client.later(attack.atMs + attack.forMs, () => end(attack));
      }
    },
  };
}

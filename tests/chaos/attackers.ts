import { preciseNow } from "#scripts/lab/clock.ts";
import type { Step } from "./adversaries/adversary.ts";
import type { Attack } from "./attacks.ts";
import type { Client } from "./client.ts";
import type { Evidence, Injected } from "./evidence.ts";
import type { Fleet } from "./fleet.ts";
import type { ReceiverProcess } from "./receiver-process.ts";

export type Attackers = ReturnType<typeof createAttackers>;

/**
 * Carries out the attacks of a plan: creates their schedules, deactivates and reactivates their accounts, and kills the
 * dispatcher in the last slot. Records what was done in `attacks`.
 */
export function createAttackers(deps: {
  client: Client;
  fleet: Fleet;
  receiver: ReceiverProcess;
  /** Whether the name server leaves questions unanswered. */
  silenceNames: (silent: boolean) => void;
  /** The accounts of each adversary. */
  accounts: ReadonlyMap<string, string[]>;
  /** The slot of the dispatcher that only the crash loop starts. */
  extraSlot: number;
  injected: Injected[];
}) {
  const { client, fleet, receiver, silenceNames, accounts, extraSlot, injected } = deps;
  const attacks: Evidence["attacks"] = [];

  /**
   * The last account change of each adversary. Changes are chained, so that one that waits for the database does not
   * overtake the next.
   */
  const changes = new Map<string, Promise<void>>();

  const setActive = (adversary: string, active: boolean) => {
    const change = () => client.setActive(accounts.get(adversary) ?? [], active);
    const done = (changes.get(adversary) ?? Promise.resolve()).then(change);
    changes.set(adversary, done);
    return done;
  };

  const kill = () => {
    const entry: Injected = {
      kind: "kill",
      pid: null,
      slot: extraSlot,
      fromMs: preciseNow(),
      untilMs: Number.POSITIVE_INFINITY,
      byAdversary: true,
      note: "crash loop",
    };
    injected.push(entry);
    entry.pid = fleet.kill(extraSlot);
  };

  const carryOut = async (step: Step, adversary: string, beganAtMs: number) => {
    switch (step.kind) {
      case "create":
        return client.createMany(adversary, accounts.get(adversary)?.[step.account] as string, beganAtMs, step.orders);
      case "deactivate":
        return setActive(adversary, false);
      case "activate":
        return setActive(adversary, true);
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
    await setActive(adversary, true);
  };

  return {
    attacks,
    /** How many attacks are in progress. */
    active: () => attacks.filter(({ untilMs }) => preciseNow() < untilMs).length,
    start(planned: readonly Attack[]) {
      for (const attack of planned) {
        client.later(attack.atMs, () => begin(attack));
        client.later(attack.atMs + attack.forMs, () => end(attack));
      }
    },
  };
}

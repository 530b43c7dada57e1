import type { Logger } from "pino";
import type { Config } from "#config.ts";
import type { TargetRule } from "#domain/target-url.ts";
import { Dialer } from "./connections/dialer.ts";
import { Opener } from "./connections/opener.ts";
import { describeOwnFault } from "./connections/own-fault-codes.ts";
import { type OwnFaultNews, OwnFaults } from "./connections/own-faults.ts";
import { OwnNetwork } from "./connections/own-network.ts";
import { Routes } from "./connections/routes.ts";
import type { connectDatabases } from "./databases.ts";
import { ListenExchanges } from "./listening/listen-exchanges.ts";
import { Listeners } from "./listening/listeners.ts";
import type { Metrics } from "./observability/metrics.ts";
import type { OutageLog } from "./observability/outage-log.ts";
import type { Clock } from "./runtime/clock.ts";
import type { ConfirmedLatency } from "./runtime/confirmed-latency.ts";

type Base = {
  databases: Pick<ReturnType<typeof connectDatabases>, "reads" | "exchanges">;
  clock: Clock;
  log: Logger;
  outageLog: OutageLog;
  metrics: Metrics;
  confirmedLatency: ConfirmedLatency;
};

/** What opens connections to targets and ways to listeners, and what decides between them. */
export function createOpeners({ databases, clock, log, outageLog, metrics, confirmedLatency }: Base, config: Config) {
  const { targetPolicy: policy, deliveryCa: ca, keyRing } = config;
  const { monotonic } = clock;
  const onRefused = (rule: TargetRule, origin: string) => {
    metrics.targetRefused(rule);
    log.info({ rule, origin }, "a target was refused");
  };
  const onNews = ({ fault, code, isOver }: OwnFaultNews) =>
    log.warn(
      { fault, code },
      isOver ? "what this machine lacked is back: deliveries go on" : describeOwnFault(fault, code),
    );
  const ownFaults = new OwnFaults({ monotonic, onNews });
  const network = new OwnNetwork({ monotonic, faults: ownFaults });
  const relay = new ListenExchanges({ database: databases.exchanges, keyRing, clock, onError: outageLog.report });
  const routes = new Routes();
  return {
    routes,
    ownFaults,
    opener: new Opener({
      dialer: new Dialer({ policy, ca, monotonic, onRefused, network, confirmedLatency }),
      relay,
      monotonic,
    }),
    listeners: new Listeners({ database: databases.reads, monotonic, routes }),
    listenExchanges: relay,
  };
}

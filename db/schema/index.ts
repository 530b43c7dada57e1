export { relaySettings, signingSecrets, usage } from "./account-settings.ts";
export { accounts, apiKeys } from "./accounts.ts";
export { accountCounts, attempts, shardPunctuality } from "./attempts.ts";
export { dispatchers, instanceSecrets, shards } from "./fleet.ts";
export { scheduleRequests, schedules } from "./schedules.ts";

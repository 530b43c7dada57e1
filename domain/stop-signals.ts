/**
 * The signals at which a process of ours stops in order. A terminal that is closed, and some programs that rotate logs, send
 * SIGHUP; a dispatcher that it ended at once would leave requests to be sent again.
 */
export const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

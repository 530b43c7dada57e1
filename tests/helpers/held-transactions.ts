/** Settings of a test's own sessions: a transaction that holds others up ends when the test says so, not after the server's 10 s. */
// The driver leaves out the number 0.
export const HELD_TRANSACTIONS = { idle_in_transaction_session_timeout: "0" as unknown as number };

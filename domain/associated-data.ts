/** What a schedule's sealed request is bound to, so that it opens for this schedule alone. `id` is its UUID. */
export const scheduleAad = (id: string) => `schedule:${id}`;

/** What a signing secret is bound to: its account (UUID) and environment. */
export const secretAad = (accountId: string, env: "live" | "test") => `signing-secret:${accountId}:${env}`;

/** What a secret of the installation is bound to. */
export const instanceAad = (name: string) => `instance:${name}`;

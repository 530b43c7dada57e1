import { parseDatabaseAddress } from "#domain/database-address.ts";
import { type ServerVersion, securityNotice } from "#domain/postgres-releases.ts";
import { assertSession } from "./assert-session.ts";
import { type ConnectOptions, connect } from "./client.ts";
import { assertSettingsFit, type SettingsOf } from "./queries/fleet/server-settings.ts";
import { readServerVersion } from "./queries/fleet/server-version.ts";
import { tlsOf } from "./tls.ts";

type Session = NonNullable<ConnectOptions["session"]>;

/** `session`: what further sessions have to begin with besides the settings that were checked. */
export type CheckedServer = { version: ServerVersion; warnings: string[]; session: Record<string, string> };

const DEADLINE_MS = 4_000;

/**
 * Checks the server at `url` before the work begins: that a session is kept and has the settings that are sent for it (not
 * behind a pooler in transaction mode, `isPooled`), the server's version, and its settings. Throws an InstallationError that
 * says what an operator has to do, and DatabaseUnavailable.
 */
export async function checkServer(url: string, session: Session, of: SettingsOf = {}): Promise<CheckedServer> {
  // Read now, so that a file that is not there is named even while the server is away.
  const { ssl } = tlsOf(parseDatabaseAddress(url).parameters);
  if (typeof ssl === "object") ({ ...ssl });
  if (!of.isPooled) await assertSession(url, session);
  const connection = connect({ url, name: "stopwatch check", connectionsMax: 1, prepare: false, session });
  try {
    return await connection.run(DEADLINE_MS, async ({ sql }) => {
      const version = await readServerVersion(sql);
      return { version, ...(await assertSettingsFit(sql, of)) };
    });
  } finally {
    await connection.close();
  }
}

/** What to tell an operator of a server that was checked, a line each. `remedy`: as for `securityNotice`. */
export function noticesOf({ version, warnings }: CheckedServer, remedy?: string): string[] {
  return [securityNotice(version, remedy) ?? [], warnings].flat();
}

import { describe, expect, it } from "vitest";
import { DatabaseUnavailable, faultOf } from "#db/client.ts";
import { InstallationError } from "#db/installation-error.ts";
import { refusedSession } from "#db/refused-session.ts";

const answer = (code: string, message: string, severity = "FATAL") =>
  Object.assign(new Error(message), { code, severity });

describe("what a server or pooler says when a session begins", () => {
  it.each([
    ["08P01", "unsupported startup parameter: statement_timeout"],
    ["08P01", "unsupported startup parameter in options: jit"],
    ["08P01", "invalid server parameter"],
    ["0A000", "Feature not supported: the proxy does not support command-line options"],
    ["42704", 'unrecognized configuration parameter "x"'],
    ["22023", 'invalid value for parameter "statement_timeout": "soon"'],
    ["42501", 'permission denied to set parameter "x"'],
  ])("%s %s is for the operator, with its text", (code, message) => {
    const refused = refusedSession(answer(code, message));
    expect(refused).toBeInstanceOf(InstallationError);
    expect(refused?.message).toContain(message);
    expect(refusedSession(new Error("of a library", { cause: answer(code, message) }))).toBeInstanceOf(
      InstallationError,
    );
    const { severity, ...older } = Object.assign(answer(code, message), { severity_local: "FATAL" });
    expect(refusedSession(Object.assign(new Error(message), older))).toBeInstanceOf(InstallationError);
  });

  it.each([
    ["08P01", "query_wait_timeout"],
    ["08P01", "server login has been failing, try again later (server_login_retry)"],
    ["08P01", "pgbouncer cannot connect to server"],
    ["57P03", "the database system is starting up"],
    ["53300", "sorry, too many clients already"],
    ["28P01", "password authentication failed"],
    ["42501", 'permission denied for database "x"'],
  ])("%s %s is an outage", (code, message) => {
    expect(refusedSession(answer(code, message))).toBeUndefined();
    expect(faultOf(answer(code, message))).toBeDefined();
  });

  it.each(["XX000", "ZZ999", "23505", "55000", ""])(
    "a fatal error or a panic (%s) never is a mistake of ours",
    (code) => {
      for (const severity of ["FATAL", "PANIC"]) {
        expect(faultOf(answer(code, "the session is over", severity))).toBe("unreachable");
        expect(faultOf(new Error("of a library", { cause: answer(code, "x", severity) }))).toBe("unreachable");
      }
      expect(faultOf(answer(code, "x", "ERROR"))).toBeUndefined();
    },
  );

  it("a table that a standby does not have is an outage, in whatever language the server says so", () => {
    const said = answer(
      "0A000",
      "kann während der Wiederherstellung nicht auf ungeloggte Relationen zugreifen",
      "ERROR",
    );
    expect(faultOf(Object.assign(said, { routine: "get_relation_info" }))).toBe("read_only");
    expect(faultOf(Object.assign(answer("0A000", "cannot use subquery in check"), { routine: "x" }))).toBeUndefined();
  });

  it("an error of a statement is neither", () => {
    expect(refusedSession(answer("42704", 'type "x" does not exist', "ERROR"))).toBeUndefined();
    for (const other of [new DatabaseUnavailable(new Error("x")), new Error("x"), undefined, null, "x"])
      expect(refusedSession(other)).toBeUndefined();
  });
});

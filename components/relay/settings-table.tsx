import { formatCount } from "../format/number.ts";
import { Card } from "../ui/card.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { formatWait } from "./wait.ts";

type Settings = {
  cpsLimit: number;
  retryAttempts: number;
  retryBackoffMs: number;
  retryStrategy: string;
  earlyFire: boolean;
};

/** Each setting: saved value, effective value and the plan's default. */
export function SettingsTable({
  saved,
  effective,
  defaults,
}: {
  saved: { [Knob in keyof Settings]: Settings[Knob] | null };
  effective: Settings;
  defaults: Settings;
}) {
  return (
    <Card>
      <Table caption="Saved, effective and default values" stacks dense>
        <TableHead>
          <HeadCell>Setting</HeadCell>
          <HeadCell numeric>Saved</HeadCell>
          <HeadCell numeric>Effective</HeadCell>
          <HeadCell numeric>Default</HeadCell>
        </TableHead>
        <TableBody>
          {(Object.keys(NAMES) as (keyof Settings)[]).map((knob) => (
            <Row key={knob}>
              <RowHead stacked="line">{NAMES[knob]}</RowHead>
              {Object.entries({ saved, effective, default: defaults }).map(([column, settings]) => (
                <Cell key={column} numeric label={column}>
                  {inWords(settings, knob)}
                </Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

const NAMES: Record<keyof Settings, string> = {
  cpsLimit: "Outgoing requests per second",
  retryAttempts: "Retries",
  retryBackoffMs: "First wait",
  retryStrategy: "Waits grow",
  earlyFire: "Early fire",
};

function inWords(settings: { [Knob in keyof Settings]: Settings[Knob] | null }, knob: keyof Settings): string {
  const value = settings[knob];
  if (value === null) return "—";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string") return value;
  return knob === "retryBackoffMs" ? formatWait(value) : formatCount(value);
}

import { formatCount } from "../format/number.ts";
import { EmptyState } from "../ui/empty-state.tsx";
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from "../ui/table.tsx";
import { TextLink } from "../ui/text-link.tsx";
import { RelativeTime } from "../ui/time.tsx";
import type { ShownOperation } from "./operation-progress.tsx";
import { OperationState } from "./operation-state.tsx";
import { leftAloneTotal, scopeInWords } from "./operation-words.ts";

/** A table of operations, newest first, with links to their pages. */
export function OperationTable({
  operations,
  now,
  zone,
}: {
  operations: readonly (ShownOperation & { href: string })[];
  now: Date;
  zone: string;
}) {
  return (
    <Table caption="Operations, the newest first" stacks>
      <TableHead>
        <HeadCell>Operation</HeadCell>
        <HeadCell>Status</HeadCell>
        <HeadCell numeric>Done</HeadCell>
        <HeadCell numeric>Skipped</HeadCell>
        <HeadCell>Accepted</HeadCell>
      </TableHead>
      <TableBody>
        {operations.map((one) => (
          <Row key={one.id}>
            <RowHead stacked="line" className="md:cell-rest">
              <TextLink href={one.href} className="row-link block" title={scopeInWords(one.filter, zone)}>
                {one.action === "cancel" ? "Cancel" : "Replay"} {scopeInWords(one.filter, zone)}
              </TextLink>
            </RowHead>
            <Cell stacked="title">
              <OperationState status={one.status} />
            </Cell>
            <Cell numeric label="done">
              {formatCount(one.acted)}
            </Cell>
            <Cell numeric label="skipped">
              {formatCount(leftAloneTotal(one.leftAlone))}
            </Cell>
            <Cell stacked="aside" className="whitespace-nowrap text-ink-muted">
              <RelativeTime at={one.createdAt} now={now} zone={zone} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  );
}

/** Shown in place of the list before the first operation. */
export function OperationsEmpty() {
  return (
    <EmptyState title="No operation yet" art="first">
      <p>Select schedules in the list, or all that match a filter, and cancel or replay them. It is followed here.</p>
    </EmptyState>
  );
}

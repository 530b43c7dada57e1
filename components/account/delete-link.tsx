import { ButtonLink } from "../ui/button.tsx";
import { Card, CardBody, CardHead } from "../ui/card.tsx";

/** The link to the page that deletes the account. */
export function DeleteLink({ href }: { href: string }) {
  return (
    <Card danger aria-labelledby="delete">
      <CardHead title="Deletion" id="delete" />
      <CardBody className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-60 text-ink-soft text-sm">
          The next page lists what is lost, pending schedules included, and asks for your e-mail address.
        </p>
        <ButtonLink kind="danger" href={href}>
          Delete account
        </ButtonLink>
      </CardBody>
    </Card>
  );
}

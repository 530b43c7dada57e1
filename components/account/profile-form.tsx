import { NoAdministrators } from "../admin/no-administrators.tsx";
import { formatDay } from "../format/instant.ts";
import { Button } from "../ui/button.tsx";
import { Card, CardBody, CardFoot, CardHead } from "../ui/card.tsx";
import { Switch } from "../ui/choice.tsx";
import { Facts } from "../ui/facts.tsx";
import { TextField } from "../ui/field.tsx";

export type Owner = {
  email: string;
  emailVerified: boolean;
  name: string | null;
  notices: boolean;
  createdAt: string;
};

/** The form of the owner's profile, and the sign-out button. */
export function ProfileForm({
  owner,
  isAdmin,
  hasAdministrators,
  action,
  signOutAction,
  typedName,
  nameError,
}: {
  owner: Owner;
  isAdmin: boolean;
  /** Whether the installation has any administrator. */
  hasAdministrators: boolean;
  action: string;
  signOutAction: string;
  /** Typed values that were not saved. */
  typedName: string | undefined;
  nameError: string | undefined;
}) {
  return (
    <Card aria-labelledby="profile">
      <CardHead title="Profile" id="profile">
        <form action={signOutAction} method="post">
          <Button type="submit" size="small">
            Sign out
          </Button>
        </form>
      </CardHead>
      <form action={action} method="post">
        <CardBody className="grid grid-cols-1 gap-4">
          <Facts
            items={[
              [
                "E-mail",
                `${owner.email}${owner.emailVerified ? "" : ", not verified: sign in with a mailed link once"}`,
              ],
              [
                "Since",
                <time key="since" dateTime={owner.createdAt}>
                  {formatDay(new Date(owner.createdAt))}
                </time>,
              ],
              ...(isAdmin ? [["Role", "Administrator"] as const] : []),
              ...(hasAdministrators ? [] : [["Admin", <NoAdministrators key="admin" />] as const]),
            ]}
          />
          <TextField
            id="name"
            name="name"
            label="Name"
            defaultValue={typedName ?? owner.name ?? ""}
            error={nameError}
            maxLength={80}
            autoComplete="name"
            className="max-w-80"
          />
          <Switch
            name="notices"
            value="on"
            label="Notices by e-mail"
            hint="Sent when schedules die, and at 80, 100 and 110 % of the quota. They never contain a payload, header or secret. Mails about new keys and identities are always sent."
            defaultChecked={owner.notices}
          />
        </CardBody>
        <CardFoot className="justify-end">
          <Button type="submit" kind="primary">
            Save
          </Button>
        </CardFoot>
      </form>
    </Card>
  );
}

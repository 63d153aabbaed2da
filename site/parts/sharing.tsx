/** The form that shares a completed run or, if it is shared, its link. */
import { shareTokenOf } from '#domain/sharing/share-token.ts';
import { findShare } from '#domain/sharing/share-run.ts';
import type { FormRule, OwnerCtx } from '../page.ts';
import { Field, noOrYes } from './field.tsx';
import { Form } from './form.tsx';
import { Link } from './link.tsx';

export const sharingForms: { readonly share: FormRule; readonly revoke: FormRule } = {
  share: { call: 'POST /v1/runs/:id/share', done: 'The run is shared: its link is below.' },
  revoke: { call: 'DELETE /v1/runs/:id/share', done: 'The link no longer works.' },
};

/** The link of a shared run; null if it is not shared. */
export async function findShareUrl(ctx: OwnerCtx, runId: string): Promise<string | null> {
  const share = await findShare(ctx, runId);
  return share === null ? null : `${ctx.rules.baseUrl}/s/${shareTokenOf(share.id, ctx.secretKey)}`;
}

export function Sharing({ url }: { readonly url: string | null }) {
  if (url === null) {
    return (
      <section class="unprinted">
        <h2>Share</h2>
        <Form name="share" submit="Share">
          <Field
            name="prompts"
            label="Also show prompts, replies and calls"
            rule="Anybody with the link can see the scorecard, but not the URL of your agent."
            choices={noOrYes}
          />
        </Form>
      </section>
    );
  }
  return (
    <section class="unprinted">
      <h2>Shared</h2>
      <p>
        <Link to={url}>{url}</Link>
      </p>
      <Form name="revoke" submit="Revoke" tone="danger" />
    </section>
  );
}

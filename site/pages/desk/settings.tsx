/** `/desk/settings`: prices and limits that are changed while the hub runs, and who changed them. */
import {
  listSettingChanges,
  listSettings,
  type ListedSetting,
  type ShownChange,
} from '#domain/settings/change-setting.ts';
import { page, rowsPerPage } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Empty, ListHead, Pager } from '../../parts/lists.tsx';
import { DeskFrame } from '../../parts/owner-frame.tsx';

export const deskSettings = page({
  path: '/desk/settings',
  access: 'maintainer',
  query: { cursor: 'cursor' },
  forms: {
    'change-setting': {
      call: 'POST /v1/admin/settings',
      done: 'The setting is changed. All processes follow within five seconds.',
    },
  },
  load: async (ctx, { query }) => {
    const [settings, changes] = await Promise.all([
      listSettings(ctx),
      listSettingChanges(ctx, { cursor: query.cursor ?? null, limit: rowsPerPage }),
    ]);
    return { settings, ...changes };
  },
  show: ({ settings, items, nextCursor }) => ({
    title: 'Settings',
    body: (
      <DeskFrame>
        <ListHead title="Settings">
          Prices and limits that need no restart. A value that is set here wins over hub.env.
        </ListHead>
        <ul class="rows">
          {settings.map((setting) => (
            <Setting key={setting.name} setting={setting} />
          ))}
        </ul>
        <section class="card spaced">
          <h2>Change a setting</h2>
          <Form name="change-setting" submit="Change">
            <Field name="name" label="Setting" choices={settings.map(({ name }) => [name, name] as const)} />
            <Field
              name="value"
              label="Value"
              rule="Leave it empty to return to what hub.env says."
              optional
            />
          </Form>
        </section>
        <section class="spaced">
          <h2>Changes</h2>
          {items.length === 0 ? <Empty>No setting was changed.</Empty> : null}
          <ul class="rows">
            {items.map((item) => (
              <Change key={item.change.id} item={item} />
            ))}
          </ul>
          <Pager nextCursor={nextCursor} />
        </section>
      </DeskFrame>
    ),
  }),
});

function Setting({ setting: { name, value, isStored } }: { readonly setting: ListedSetting }) {
  return (
    <li>
      <div class="grow">
        <code>{name}</code>
        {isStored ? <span class="meta">set here</span> : null}
      </div>
      <b class="num">{value}</b>
    </li>
  );
}

function Change({ item: { change, actorHandle, maintainer } }: { readonly item: ShownChange }) {
  const { name, before, after } = change;
  return (
    <li>
      <div class="grow">
        {maintainer === null ? (
          <code>{name}</code>
        ) : (
          <>
            {maintainer.handle === null ? (
              <code>{maintainer.did}</code>
            ) : (
              <AgentName handle={maintainer.handle} />
            )}{' '}
            {after === 'yes' ? 'became a maintainer' : 'is no longer a maintainer'}
          </>
        )}
        <span class="meta">
          {maintainer === null ? `${before ?? 'hub.env'} → ${after ?? 'hub.env'} · ` : null}
          <Day at={change.createdAt} /> ·{' '}
          {actorHandle === null ? 'the operator' : <AgentName handle={actorHandle} />}
        </span>
      </div>
    </li>
  );
}

/** `/desk/settings`: prices and badge rules that are changed while the hub runs, and who changed them. */
import {
  listSettingChanges,
  listSettings,
  type ListedSetting,
  type ShownChange,
} from '#domain/settings/change-setting.ts';
import { type ChangeableSetting, changeableSettings } from '#runtime/settings/changeable-settings.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { page, rowsAsked } from '../../page.ts';
import { AgentName } from '../../parts/agent-name.tsx';
import { Day } from '../../parts/dates.tsx';
import { Field } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { ListHead, Rows } from '../../parts/lists.tsx';
import { count } from '../../parts/numbers.ts';
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
      listSettingChanges(ctx, rowsAsked(query)),
    ]);
    return { settings, standard: parseSettings({ BASE_URL: ctx.rules.baseUrl }), ...changes };
  },
  show: ({ settings, standard, items, nextCursor }) => ({
    title: 'Settings',
    body: (
      <DeskFrame>
        <ListHead title="Settings">
          Prices and badge rules that need no restart. A value that is set here wins over hub.env.
        </ListHead>
        <ul class="rows">
          {settings.map((setting) => (
            <Setting
              key={setting.name}
              setting={setting}
              standard={standard[changeableSettings[setting.name]]}
            />
          ))}
        </ul>
        <section class="card spaced">
          <h2>Change a setting</h2>
          <Form name="change-setting" submit="Change">
            <Field
              name="name"
              label="Setting"
              choices={settings.map(({ name }) => [name, words[name].title] as const)}
            />
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
          <Rows items={items} empty="No setting was changed." nextCursor={nextCursor}>
            {(item) => <Change item={item} />}
          </Rows>
        </section>
      </DeskFrame>
    ),
  }),
});

interface Words {
  readonly title: string;
  readonly unit: readonly [one: string, many: string];
  /** What 0 means. */
  readonly zero: string;
}

const words: Readonly<Record<ChangeableSetting, Words>> = {
  EVAL_RUN_COST: { title: 'Price of an eval run', unit: ['token', 'tokens'], zero: 'free' },
  AGENT_RUN_COST: { title: 'Price of an agent run', unit: ['token', 'tokens'], zero: 'free' },
  SUITE_RUN_REPLIES_PER_TOKEN: {
    title: 'Replies of a suite run that one token pays for',
    unit: ['reply', 'replies'],
    zero: 'free',
  },
  ALLOWANCE_TOKENS: {
    title: 'Allowance of a trusted agent for a period',
    unit: ['token', 'tokens'],
    zero: 'none',
  },
  ALLOWANCE_DAYS: { title: 'Length of that period', unit: ['day', 'days'], zero: 'none' },
  VERIFICATION_REPUTATION: {
    title: 'Reputation for a verification request',
    unit: ['point', 'points'],
    zero: 'any',
  },
};

function valueText(name: ChangeableSetting, value: string): string {
  return value === '0' ? words[name].zero : count(Number(value), ...words[name].unit);
}

interface SettingProps {
  readonly setting: ListedSetting;
  /** What it is unless somebody sets it. */
  readonly standard: number;
}

function Setting({ setting: { name, value, isStored }, standard }: SettingProps) {
  return (
    <li>
      <div class="grow">
        <span class="title">{words[name].title}</span>
        <span class="meta">
          <code>{name}</code> · default: {valueText(name, String(standard))}
          {isStored ? ' · set here' : ''}
        </span>
      </div>
      <b class="num">{valueText(name, value)}</b>
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

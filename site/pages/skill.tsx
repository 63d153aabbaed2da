/** `/skills/{name}`: one skill. */
import { type ListedSkill, showSkill } from '#domain/skills/show-skill.ts';
import { page } from '../page.ts';
import { AgentName } from '../parts/agent-name.tsx';
import { Day } from '../parts/dates.tsx';
import { Fact } from '../parts/fact.tsx';
import { Field } from '../parts/field.tsx';
import { ConfirmedForm, FoldedForm } from '../parts/form.tsx';
import { Back, Link, shortUrl } from '../parts/link.tsx';
import { HiddenNotice, Report, reportForms } from '../parts/report.tsx';
import { excerptOf, UserText } from '../parts/user-text.tsx';
import { useView } from '../view.ts';

export const skill = page({
  path: '/skills/:name',
  access: 'public',
  params: { name: 'name' },
  forms: {
    ...reportForms,
    'edit-skill': { call: 'PATCH /v1/skills/:name', done: 'Your skill is changed.' },
    'delete-skill': {
      call: 'DELETE /v1/skills/:name',
      next: () => '/skills',
      done: 'Your skill is deleted.',
    },
  },
  load: (ctx, { params }) => showSkill(ctx, { name: params.name, viewer: ctx.reader }),
  show: ({ skill: shown, versions }) => {
    const { name, description, authorHandle, createdAt, repoUrl, manifestUrl, hiddenAt } = shown;
    return {
      title: name,
      description: excerptOf(description, 160),
      body: (
        <article class="narrow">
          <Back to="/skills">Skills</Back>
          <h1 dir="auto">{name}</h1>
          <p class="byline">
            <AgentName handle={authorHandle} /> · <Day at={createdAt} />
          </p>
          <HiddenNotice hiddenAt={hiddenAt} kind="skill" id={name} author={authorHandle} />
          <UserText text={description} />
          <h2 class="spaced">Links</h2>
          <dl class="facts-grid">
            <Fact name="Repository">
              <Link to={repoUrl}>{shortUrl(repoUrl)}</Link>
            </Fact>
            {manifestUrl === null ? null : (
              <Fact name="Manifest">
                <Link to={manifestUrl}>{shortUrl(manifestUrl)}</Link>
              </Fact>
            )}
          </dl>
          {versions.length === 0 ? null : (
            <>
              <h2 class="spaced">Versions</h2>
              <ul class="timeline">
                {versions.map(({ id, note, createdAt: at }) => (
                  <li key={id}>
                    <span class="soft small">
                      <Day at={at} />
                    </span>
                    <UserText text={note} />
                  </li>
                ))}
              </ul>
            </>
          )}
          <p class="soft small spaced">
            The hub has not tested this skill. Read it before your agent runs it.
          </p>
          <OwnSkill skill={shown} />
          <Report kind="skill" id={name} author={authorHandle} about={`the skill ${name}`} />
        </article>
      ),
    };
  },
});

/** What authors can do with their own skill. */
function OwnSkill({ skill }: { readonly skill: ListedSkill }) {
  const { viewer } = useView();
  const { authorHandle, description, repoUrl, manifestUrl } = skill;
  if (viewer?.handle !== authorHandle) return null;
  return (
    <div class="post-tools">
      <FoldedForm title="Edit" name="edit-skill" submit="Edit">
        <Field name="description" label="Description" kind="lines" value={description} />
        <Field name="repo_url" label="Repository" value={repoUrl} />
        <Field name="manifest_url" label="Manifest" value={manifestUrl ?? ''} optional />
        <Field
          name="version_note"
          label="What is new"
          kind="lines"
          rule="Listed under “Versions”."
          optional
        />
      </FoldedForm>
      <ConfirmedForm
        title="Delete"
        warning="Nobody else can use its name afterwards. This cannot be undone."
        name="delete-skill"
        submit="Delete the skill"
      />
    </div>
  );
}

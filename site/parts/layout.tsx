/** The frame of every page: head, navigation and footer. */
import { siteFiles } from '../site-files.ts';
import { type RefusedForm, useView } from '../view.ts';
import type { Shown } from '../page.ts';
import { controlValue } from '../visible-text.ts';
import { plain, refusedFormId, typedField } from './form.tsx';
import { Link } from './link.tsx';

const sections = [
  ['/agents', 'Agents'],
  ['/leaderboard', 'Leaderboard'],
  ['/forum', 'Forum'],
  ['/skills', 'Skills'],
  ['/suites', 'Suites'],
  ['/work', 'Work'],
  ['/events', 'Events'],
  ['/evaluation', 'Evals'],
] as const;

const feeds = [
  ['/forum.atom', 'Forum'],
  ['/events.atom', 'Events'],
  ['/skills.atom', 'Skills'],
] as const;

/** @param main the HTML of the notices and the body */
export function Layout({ shown, main }: { readonly shown: Shown; readonly main: string }) {
  return (
    <html lang="en">
      <Head shown={shown} />
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Header />
        <main id="main" tabIndex={-1} dangerouslySetInnerHTML={{ __html: main }} />
        <Footer />
      </body>
    </html>
  );
}

function Head({ shown }: { readonly shown: Shown }) {
  const { baseUrl, hubName, path } = useView();
  const title = shown.title === hubName ? hubName : `${shown.title} · ${hubName}`;
  const { description, data } = shown;
  return (
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {description === undefined ? null : <meta name="description" content={description} />}
      {shown.noIndex === true ? (
        <meta name="robots" content="noindex" />
      ) : (
        <link rel="canonical" href={baseUrl + path} />
      )}
      <meta property="og:site_name" content={hubName} />
      <meta property="og:title" content={shown.title} />
      <meta property="og:type" content="website" />
      <meta property="og:url" content={baseUrl + path} />
      {description === undefined ? null : <meta property="og:description" content={description} />}
      <meta property="og:image" content={baseUrl + siteFiles.preview.path} />
      <link rel="stylesheet" href={siteFiles.style.path} />
      {feeds.map(([feed, name]) => (
        <link key={feed} rel="alternate" type="application/atom+xml" title={name} href={feed} />
      ))}
      {shown.feed === undefined ? null : (
        <link rel="alternate" type="application/atom+xml" title={shown.title} href={shown.feed} />
      )}
      <link rel="icon" type="image/svg+xml" href={siteFiles.icon.path} />
      <script type="module" src={siteFiles.script.path} />
      {shown.signs === true ? <script type="module" src={siteFiles.key.path} {...blocking} /> : null}
      {data === undefined ? null : <StructuredData data={data} />}
    </head>
  );
}

/** The forms that the script adds are there when the page is first shown. The types do not know the attribute yet. */
const blocking = { blocking: 'render' };

/** The only inline script element. It is data, and an escaped `<` cannot end it. */
function StructuredData({ data }: { readonly data: object }) {
  const json = JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
  return <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />;
}

function Header() {
  const { hubName, path, viewer } = useView();
  const isIn = (section: string): boolean => path === section || path.startsWith(`${section}/`);
  return (
    <header class="top">
      <Link to="/" class="brand">
        <Mark />
        {hubName}
      </Link>
      <nav aria-label="Main">
        {sections.map(([section, name]) => (
          <Link key={section} to={section} current={isIn(section)}>
            {name}
          </Link>
        ))}
      </nav>
      <div class="who">
        {viewer?.isMaintainer === true ? (
          <Link to="/desk" current={isIn('/desk')}>
            Desk
          </Link>
        ) : null}
        {viewer === null ? (
          <Link to="/sign-in" current={isIn('/sign-in')}>
            Sign in
          </Link>
        ) : (
          <Link to="/me" current={isIn('/me')}>
            {viewer.handle}
          </Link>
        )}
      </div>
    </header>
  );
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M12 13 4 6M12 13 20 7M12 13 11 21" />
      <circle cx="12" cy="13" r="4" />
      <circle cx="4" cy="6" r="2.5" />
      <circle cx="20" cy="7" r="2.5" />
      <circle cx="11" cy="21" r="2.5" />
    </svg>
  );
}

interface NoticesProps {
  readonly hasRefusedForm: boolean;
}

/** At the top of the page, where visitors look first. */
export function Notices({ hasRefusedForm }: NoticesProps) {
  const { done, isDemo, refused } = useView();
  return (
    <>
      {isDemo ? (
        <p class="notice">This hub runs in demo mode: it shows sample data, and nothing can be changed.</p>
      ) : null}
      {done === null ? null : (
        <p class="notice good" role="status">
          {done}
        </p>
      )}
      {refused === null ? null : (
        <div class="notice bad" role="alert">
          <p>{plain(refused.message)}</p>
          {refused.hint === null ? null : <p class="small">{plain(refused.hint)}</p>}
          {hasRefusedForm ? (
            <p class="small">
              <Link to={`#${refusedFormId}`}>To the form</Link>
            </p>
          ) : (
            <Typed values={refused.values} />
          )}
        </div>
      )}
    </>
  );
}

/** What was typed into a form that is no longer on the page, to be copied. */
function Typed({ values }: Pick<RefusedForm, 'values'>) {
  const names = values[typedField]?.split(',') ?? [];
  return (
    <div class="stack">
      {names.map((name) => {
        const text = values[name] ?? '';
        return text === '' ? null : (
          <label key={name}>
            What you wrote as {name.replaceAll(/[_.]/g, ' ')}
            <textarea readOnly>{controlValue(text)}</textarea>
          </label>
        );
      })}
    </div>
  );
}

function Footer() {
  return (
    <footer class="bottom">
      <p>
        Agents begin at <Link to="/skill.md">/skill.md</Link>, programs at{' '}
        <Link to="/openapi.json">/openapi.json</Link>, people at <Link to="/docs">the reference</Link>.
      </p>
      <nav aria-label="More">
        <Link to="/supporters">Supporters</Link>
        <Link to="/calls">Calls</Link>
        <Link to="/events.ics">Calendar</Link>
        <Link to="/forum.atom">Feed</Link>
      </nav>
    </footer>
  );
}

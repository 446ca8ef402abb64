/**
 * Which commands of a skill may become checks of a playbook. A skill comes from anywhere, and what stands in it as a check is run later
 * on (in a scratch copy): only runners of tests, linters, type checks and builds are taken, never a shell line.
 */

/** What makes one command several, or feeds it with something else. Quotes are left: `pytest -k "a and b"`. */
const OPERATORS = /[;&|<>`$(){}\\\n\r]/;

/** In front of a runner, and no command of its own. */
const WRAPPERS =
  /^(?:(?:npx|bunx|pnpm (?:exec|dlx)|yarn(?: exec| run)?|bun x|poetry run|uv run|pipenv run|bundle exec|composer exec|python3? -m) )(?=\S)/;

/** Scripts of a package by names that say that they check. */
const SCRIPT = String.raw`(?:test|lint|check|build|verify|typecheck|type-check|tsc)(?:[:.-][\w:.-]+)?`;

/** Runners of tests, linters, type checks and builds. */
const RUNNERS: readonly RegExp[] = [
  new RegExp(`^npm (?:t|test|run(?:-script)? ${SCRIPT})(?= |$)`),
  new RegExp(`^(?:pnpm|yarn|bun)(?: -r| --recursive| -w)?(?: run)? ${SCRIPT}(?= |$)`),
  /^(?:\.\/)?mvnw?(?: -\w[\w.=-]*)* (?:test|verify|compile|validate|checkstyle:check|spotless:check)(?= |$)/,
  /^(?:\.\/)?gradlew?(?: -\w[\w.=-]*)* (?:[\w-]*:)*(?:test|check|build|lint|compile\w*)(?= |$)/,
  /^go (?:test|vet|build)(?= |$)/,
  /^cargo (?:test|check|clippy|build|fmt --check|fmt -- --check)(?= |$)/,
  /^dotnet (?:test|build|format --verify-no-changes)(?= |$)/,
  /^(?:swift test|(?:flutter|dart) (?:test|analyze)|mix test|deno (?:test|lint|check)|composer (?:test|validate)|sbt test)(?= |$)/,
  /^(?:ctest|phpunit|rspec)(?= |$)/,
  /^node --(?:test|check)(?= |$)/,
  /^(?:pytest|tox|nox|mypy|pyright|flake8|pylint|unittest|compileall|ruff(?: check| format --check)|ruff(?= \.))(?= |$)/,
  /^(?:black|isort) --check(?:-only)?(?= |$)/,
  /^(?:eslint|stylelint|tsc|vue-tsc|jest|vitest|mocha|ava|oxlint|markdownlint|tslint|svelte-check|playwright test|cypress run)(?= |$)/,
  /^biome (?:check|lint|ci)(?= |$)/,
  /^prettier (?:--check|-c)(?= |$)/,
  /^(?:golangci-lint run|staticcheck|shellcheck|yamllint|hadolint|actionlint|rubocop)(?= |$)/,
  /^make (?:test|check|lint|build|verify|vet)(?:-\w+)?(?= |$)/,
  /^git (?:diff --(?:check|stat|exit-code|name-only|quiet)|status)(?= |$)/,
  /^xihe (?:lint|doctor)(?= |$)/,
];

/** Options by which a runner changes files or runs another program, and places outside of the project. */
const UNSAFE =
  /(?:^| )(?:--?(?:fix|write|in-place|exec|toolexec|vettool|ext-diff|output|script-shell|rulesdir|prefix|rcfile|init-script|shell|eval|require|import|loader|apply|unsafe|auto\w*)(?:[-=][^ ]*)?|-[aAeIio]|[A-Za-z_]\w*=[^ ]*)(?= |$)|(?:^|[ ='"])(?:\/|~|[A-Za-z]:\\)|(?<!\.)\.\.(?:[/ ]|$)/;

/**
 * Why a command is not plainly a check.
 *
 * @param command one line, without `$ ` in front
 * @returns in Chinese; undefined for a check
 */
export function noCheckBecause(command: string): string | undefined {
  if (OPERATORS.test(command)) return '带有 shell 的连接或重定向，不只是一条检查';
  let rest = command.trim().replace(/\s+/g, ' ');
  for (let wrapper = WRAPPERS.exec(rest); wrapper !== null && !isRunner(rest); wrapper = WRAPPERS.exec(rest))
    rest = rest.slice(wrapper[0].length);
  if (!isRunner(rest)) return '不是认得的测试、检查、构建命令；确实要检查时自己写进 post_checks';
  return UNSAFE.test(rest) ? '带有会改文件、会运行别的程序或指到项目外的参数' : undefined;
}

const isRunner = (command: string) => RUNNERS.some((runner) => runner.test(command));

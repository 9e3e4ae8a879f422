/** What the first words of a comment's line say: directives for tools, doc tags, bullets, task marks. */

/** Words that speak to tools or lawyers, not to readers. */
export const directive = new RegExp(
	`^(?:${[
		'eslint[-\\s]|stylelint-|tslint:|jshint|jslint|biome-ignore|prettier-ignore|deno-(?:lint|fmt)|oxlint-|@ts-|@vite-ignore|webpack\\w+:|@__\\w+__|istanbul|[cv]8 ignore|@jest-|@vitest-|sourceMappingURL',
		'noqa\\b|type:\\s*ignore|pylint:|pyright:|mypy:|ruff:|flake8|isort:|fmt:\\s|yapf:|nosec\\b|pragma\\b|-\\*-|(?:en)?coding[:=]',
		'clang-format|clang-tidy|NOLINT|nolint\\b|IWYU|go:\\w|build\\s|\\+build|revive:|golangci|lint:|LCOV_|GCOV',
		'rubocop:|frozen_string_literal|typed:|erb-lint|phpcs:|@?phpstan|@?psalm|@phan|swiftlint:|swift-format|ktlint|detekt|@formatter:|noinspection|NOSONAR|SuppressWarnings',
		'shellcheck\\s|hadolint|tfsec|checkov|yamllint|markdownlint|cspell:|spell-?checker:|language=|@jsx\\w*\\b|@generated|@license|@preserve|@copyright',
		'#?\\s?(?:end)?region\\b|#pragma|vim?:|!\\/|=begin\\b|=end\\b',
		'SPDX-|Copyright\\b|©|\\(c\\)\\s|Licensed under|All rights reserved|MIT License|Apache License|GNU (?:Lesser )?General Public',
	].join('|')})`,
	'i',
);

/** Headings of PowerShell's help, such as `.PARAMETER Path`. */
export const helpHeading = /^\.[A-Z]{3,}(?:\s+\S+)?$/;

/** Types that stand between a tag and its words where a language writes them so. */
const typeWord =
	'(?:(?:string|int|integer|bool|boolean|float|double|array|object|mixed|void|null|callable|iterable|self|static|resource)(?:\\[\\])*|[\\w\\\\$]*[|\\\\<\\[][\\w\\\\|<>,\\[\\]$?]*)[ \\t]+';
const named = '(?:param|arg|argument|property|prop|template|typeparam|tparam)';

/** Starts of a paragraph that stay: doc tags with their names and types, bullets, task marks. */
export const heads = new RegExp(
	`^(?:${[
		`[@\\\\]${named}\\b(?:\\[[\\w,]+\\])?[ \\t]*(?:\\{[^}]*\\}[ \\t]*)?(?:[\\w\\\\|?<>\\[\\],]+[ \\t]+(?=[$&]))?(?:\\[[^\\]]*\\]|[&.]*[\\w$.]+)[ \\t]*(?:\\[[^\\]]*\\][ \\t]*)?(?:-[ \\t]+)?`,
		`[@\\\\](?:throws|exception|returns?|yields?|type|var|typedef|callback|raise)\\b[ \\t]*(?:\\{[^}]*\\}[ \\t]*|\\[[^\\]]*\\][ \\t]*|${typeWord})?(?:-[ \\t]+)?`,
		'@\\w+[ \\t]*|\\\\(?:brief|details|note|warning|file|remark|sa|see|since|todo|bug|pre|post|ingroup|short)\\b[ \\t]*',
		':(?:param|raises|rtype|returns?|type|var|ivar|cvar|keyword)\\b[^:]*:[ \\t]*',
		'[-*+•][ \\t]+|\\d{1,3}[.)][ \\t]+|#{1,6}[ \\t]+',
		'(?:TODO|FIXME|HACK|XXX|NOTE|BUG)(?:\\([^)]*\\))?:?[ \\t]+',
		'<(?:summary|remarks|returns|value|para|example|(?:type)?param[^>]*|exception[^>]*)>[ \\t]*',
	].join('|')})`,
);

/** Tags whose whole line is not prose. */
export const codeTags =
	/^[@\\](?:see|link|type|typedef|import|module|example|default|since|version|author|package|namespace|method|mixin|copyright|license)\b/;

/** Compiles what an answer must look like into a grammar over a model's own vocabulary. */

import type { CompiledGrammar, GrammarCompiler, TokenizerInfo } from '@mlc-ai/web-xgrammar';
import { AppError } from '../../protocol/index.ts';
import type { Constraint } from '../api.ts';
import type { TokenConstraint } from '../sample/constraint.ts';
import {
	promptOpensReasoning,
	type ReasoningTags,
	reasoningTagsOf,
} from '../template/reasoning.ts';
import type { ToolFormat } from '../template/toolFormat.ts';
import { charsOfBytes } from '../tokenizer/byteLevel.ts';
import { GrammarConstraint } from './grammarConstraint.ts';
import { checkGrammarSize, GrammarTooLarge } from './grammarSize.ts';
import { jsonSafeClasses } from './jsonClasses.ts';
import { type PreparedSchema, prepareSchema } from './schemaCheck.ts';
import type { GrammarVocabulary } from './tokenTable.ts';
import { toolGrammar } from './toolGrammar.ts';
import { discardInstance, type GrammarInstance, grammarInstance } from './xgrammarModule.ts';

// White space between parts of JSON: a space, or a new line with its indentation, and none before commas and
// colons. Free white space would let a weak model fill its whole answer with it. (As a rule of its own this makes
// the library accept missing commas.)
const space = '[ ]{0,1} ([\\n] [ \\t]{0,24}){0,1}';

/**
 * Compiles constraints for one model; `undefined` when a constraint does not restrict anything.
 * Takes as long as it takes: see {@link GrammarThreads}.
 * @param promptEnd last piece of the prompt as text: one that opens a reasoning block is left free to end it
 */
export type CompileConstraint = (
	constraint: Constraint,
	endTokens: readonly number[],
	promptEnd?: string,
	/**
	 * Says whose it is, and what the other arguments say: where it is known, nothing is made of them again.
	 * Absent: not kept.
	 */
	key?: string,
) => Promise<TokenConstraint | undefined>;

interface Compiler {
	readonly instance: GrammarInstance;
	readonly info: TokenizerInfo;
	readonly compiler: GrammarCompiler;
	readonly vocabularySize: number;
}

/** A compiler that keeps the vocabulary and the grammars that have a key. */
export function createConstraintCompiler(
	text: GrammarVocabulary,
	format: ToolFormat,
	reasoning: ReasoningTags = reasoningTagsOf(undefined),
): CompileConstraint {
	const known = new Map<string, readonly [Compiler, CompiledGrammar]>();
	const compilers = new Map<string, Promise<Compiler>>();
	return async (constraint, endTokens, promptEnd = '', key) => {
		const instance = await grammarInstance();
		try {
			const found = key === undefined ? undefined : known.get(key);
			if (found?.[0].instance === instance)
				return await start(...found, endTokens, false, names[constraint.kind]);
			const plain = await grammarSource(instance, constraint, format);
			if (plain === undefined) return undefined;
			const source = promptOpensReasoning(promptEnd, reasoning)
				? afterReasoning(plain, reasoning)
				: plain;
			const ends = endTokens.join();
			let ready = compilers.get(ends);
			if (ready === undefined || (await ready).instance !== instance) {
				ready = createCompiler(instance, text, endTokens);
				compilers.set(ends, ready);
			}
			const compiler = await ready;
			const grammar = await compile(compiler.compiler, source);
			if (key !== undefined) known.set(key, [compiler, grammar]);
			return await start(compiler, grammar, endTokens, key === undefined, names[constraint.kind]);
		} catch (error) {
			throw refusal(error, instance, constraint);
		}
	};
}

function refusal(error: unknown, instance: GrammarInstance, constraint: Constraint): Error {
	if (error instanceof AppError || error instanceof GrammarTooLarge) return error;
	const why = instance.takeMessages();
	discardInstance(instance);
	const [what, param] = names[constraint.kind];
	return new AppError(
		'invalid_request',
		`The ${what} cannot be compiled${why === '' ? '' : `: ${why}`}`,
		{ param, cause: error },
	);
}

const names: Readonly<Record<Constraint['kind'], readonly [what: string, param: string]>> = {
	'json-object': ['JSON grammar', 'response_format'],
	'json-schema': ['JSON schema', 'response_format'],
	ebnf: ['grammar', 'grammar'],
	tools: ["tools' parameters", 'tools'],
};

interface GrammarSource {
	readonly kind: 'ebnf' | 'tag';
	readonly text: string;
}

async function grammarSource(
	instance: GrammarInstance,
	constraint: Constraint,
	format: ToolFormat,
): Promise<GrammarSource | undefined> {
	const toGrammar = (schema: PreparedSchema) => schemaGrammar(instance, schema);
	switch (constraint.kind) {
		case 'json-object': {
			const none = new Map<string, string>();
			const schema = { schema: { type: 'object' }, values: none, names: none };
			return { kind: 'ebnf', text: await toGrammar(schema) };
		}
		case 'json-schema': {
			const schema = prepareSchema(constraint.schema, 'response_format');
			return { kind: 'ebnf', text: await toGrammar(schema) };
		}
		case 'ebnf':
			checkGrammarSize(constraint.grammar);
			return { kind: 'ebnf', text: constraint.grammar };
		case 'tools': {
			const tag = await toolGrammar(constraint, format, toGrammar);
			if (tag === undefined) return undefined;
			return { kind: 'tag', text: JSON.stringify({ type: 'structural_tag', format: tag }) };
		}
	}
}

// Free text up to the closing tag, then what was asked for.
function afterReasoning(source: GrammarSource, reasoning: ReasoningTags): GrammarSource {
	const answer =
		source.kind === 'ebnf'
			? { type: 'grammar', grammar: source.text }
			: (JSON.parse(source.text) as { format: unknown }).format;
	const elements = [
		{ type: 'tag', begin: '', content: { type: 'any_text' }, end: reasoning.close },
		{ type: 'grammar', grammar: 'root ::= [ \\n]{0,4}' },
		answer,
	];
	const format = { type: 'sequence', elements };
	return { kind: 'tag', text: JSON.stringify({ type: 'structural_tag', format }) };
}

async function schemaGrammar(instance: GrammarInstance, prepared: PreparedSchema): Promise<string> {
	const schema = prepared.schema === true ? {} : prepared.schema;
	let grammar = await instance.library.Testings._jsonSchemaToEBNF(
		JSON.stringify(schema),
		true,
		undefined,
		undefined,
		false,
	);
	grammar = grammar
		.split('\n')
		.map((line) => (line.startsWith('basic_') ? line : jsonSafeClasses(line)))
		.join('\n')
		.replace(/\[ \\n\\t\]\* (?="[,:]")/g, '')
		.replace(/(?<!\(= )\[ \\n\\t\]\*/g, () => space);
	for (const [placeholder, name] of prepared.names) {
		const written = JSON.stringify(JSON.stringify(name).slice(1, -1)).slice(1, -1);
		grammar = grammar.replaceAll(placeholder, () => written);
	}
	const rules: string[] = [];
	for (const [placeholder, rule] of prepared.values) {
		grammar = grammar.replaceAll(`"\\"${placeholder}\\""`, placeholder);
		rules.push(`${placeholder} ::= ${rule}`);
	}
	grammar = `${grammar}\n${rules.join('\n')}\n`;
	checkGrammarSize(grammar);
	return grammar;
}

// The vocabulary as bytes in byte-level spelling says exactly what every token of any family writes.
async function createCompiler(
	instance: GrammarInstance,
	text: GrammarVocabulary,
	endTokens: readonly number[],
): Promise<Compiler> {
	const stops = new Set(endTokens);
	const vocabularySize = text.vocabularySize;
	const vocabulary = Array.from({ length: vocabularySize }, (_, id) =>
		text.specialIds.has(id) || stops.has(id) ? '' : charsOfBytes(text.tokenBytes(id)),
	);
	const { TokenizerInfo, GrammarCompiler } = instance.library;
	const info = await TokenizerInfo.createTokenizerInfo(
		vocabulary,
		'byte_level',
		false,
		vocabularySize,
		[...endTokens],
	);
	// Its own memory of grammars knows no owners; keys do.
	const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
	return { instance, info, compiler, vocabularySize };
}

function compile(compiler: GrammarCompiler, source: GrammarSource): Promise<CompiledGrammar> {
	if (source.kind === 'ebnf') return compiler.compileGrammar(source.text);
	return compiler.compileStructuralTag(source.text);
}

async function start(
	compiler: Compiler,
	grammar: CompiledGrammar,
	endTokens: readonly number[],
	isOnly: boolean,
	[what, param]: readonly [what: string, param: string],
): Promise<TokenConstraint> {
	const matcher = await compiler.instance.library.GrammarMatcher.createGrammarMatcher(
		grammar,
		[...endTokens],
		false,
	);
	const constraint = new GrammarConstraint(matcher, compiler.vocabularySize, endTokens, () => {
		if (isOnly) grammar.dispose();
	});
	await constraint.prepare();
	// A rule that only names itself allows not even an end.
	if (constraint.mask()?.every((bits) => bits === 0)) {
		constraint.dispose();
		throw new AppError('invalid_request', `The ${what} allows no answer: a rule needs itself.`, {
			param,
		});
	}
	return constraint;
}

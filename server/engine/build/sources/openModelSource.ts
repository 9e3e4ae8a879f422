/** Opens weights by what is there: a file of GGUF or Marian, or a folder with GGUF or safetensors files. */

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { modelFile } from '../../../hub/modelFile.ts';
import { AppError } from '../../../protocol/index.ts';
import { closeAll, fileBytes } from './bytes.ts';
import { ggufParts, openGguf } from './gguf.ts';
import { openMarianBinary } from './marianBinary.ts';
import { openNpz } from './npz.ts';
import { openSafetensors, safetensorsSettings } from './safetensors.ts';
import type { ByteSource, TensorSource } from './tensorSource.ts';

/**
 * @param path a `.gguf` file (any part of a split one), an `.npz` or `.bin` file of Marian, or a folder
 * @throws AppError `unsupported_model` where there are no weights in a form that is read, or more than one model
 */
export async function openModelSource(path: string, signal?: AbortSignal): Promise<TensorSource> {
	if (!(await stat(path)).isDirectory()) {
		const name = basename(path);
		if (/\.gguf$/i.test(name))
			return openFiles(dirname(path), ggufParts(name) ?? [name], openGguf, signal);
		const openOne = /\.npz$/i.test(name)
			? openNpz
			: /\.bin$/i.test(name)
				? openMarianBinary
				: undefined;
		if (openOne === undefined)
			throw new AppError(
				'unsupported_model',
				`The file ${name} is not in a form that is read: .gguf, Marian's .npz and .bin, or a folder with .safetensors files.`,
			);
		return openFiles(
			dirname(path),
			[name],
			([file]) => openOne(file as ByteSource, signal),
			signal,
		);
	}
	const names = await readdir(path);
	const weights = names.filter((name) => name.endsWith('.safetensors'));
	if (weights.length > 0) {
		const settings = names.filter((name) => safetensorsSettings.includes(name));
		const all = [...weights, ...settings];
		return openFiles(
			path,
			all,
			(files, stop) =>
				openSafetensors(new Map(all.map((name, at) => [name, files[at] as ByteSource])), stop),
			signal,
		);
	}
	const models = names.filter((name) => name.toLowerCase().endsWith('.gguf')).sort();
	const [first] = models;
	if (first === undefined)
		throw new AppError(
			'unsupported_model',
			`The folder ${basename(path)} has no weights in a form that is read: .gguf or .safetensors.`,
		);
	const parts = ggufParts(first) ?? [first];
	if (models.some((name) => !parts.includes(name)))
		throw new AppError(
			'unsupported_model',
			`The folder ${basename(path)} has several GGUF models. Name one: ${models.slice(0, 8).join(', ')}.`,
		);
	return openFiles(path, parts, openGguf, signal);
}

/** The files of a folder that say how tensors beside it are to be read, those that are there. */
export async function openSettings(folder: string): Promise<ByteSource[]> {
	const names = await readdir(folder);
	const settings = names.filter((name) => safetensorsSettings.includes(name));
	return openAll(folder, settings);
}

async function openAll(folder: string, names: readonly string[]): Promise<ByteSource[]> {
	const opened: ByteSource[] = [];
	try {
		for (const name of names) opened.push(await fileBytes(await modelFile(folder, name)));
	} catch (error) {
		await closeAll(opened);
		if ((error as NodeJS.ErrnoException).code === 'ENOENT')
			throw new AppError(
				'unsupported_model',
				`The file ${names[opened.length]} of the model is missing.`,
				{ cause: error },
			);
		throw error;
	}
	return opened;
}

async function openFiles(
	folder: string,
	names: readonly string[],
	open: (files: readonly ByteSource[], signal?: AbortSignal) => Promise<TensorSource>,
	signal: AbortSignal | undefined,
): Promise<TensorSource> {
	const files = await openAll(folder, names);
	try {
		return await open(files, signal);
	} catch (error) {
		await closeAll(files);
		throw error;
	}
}

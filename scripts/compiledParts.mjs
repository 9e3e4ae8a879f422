/**
 * What is compiled into the packages that come with machine code or WebAssembly. Their npm licence speaks of
 * the JavaScript round it; the library inside has its own. A package with compiled code that does not stand
 * here stops the build.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

const licence = (name) => readFileSync(join(root, 'scripts', 'licences', `${name}.txt`), 'utf8');
const mit = (copyright) =>
	readFileSync(join(root, 'LICENSE'), 'utf8').replace(/^Copyright .*$/m, copyright);
const xiph = (copyright) => `${copyright}\n\n${licence('xiph')}`;

/** What the decoders of images say of the libraries inside. */
const codecLicence = (codec) =>
	readFileSync(join(root, 'node_modules', '@jsquash', codec, 'codec', 'LICENSE.codec.md'), 'utf8');

const libFlac = {
	name: 'libFLAC',
	license: 'BSD-3-Clause',
	text: () =>
		xiph(
			'Copyright (C) 2000-2009 Josh Coalson\nCopyright (C) 2011-2023 Xiph.Org Foundation\nhttps://xiph.org/flac/',
		),
};
const libOgg = {
	name: 'libogg',
	license: 'BSD-3-Clause',
	text: () => xiph('Copyright (c) 2002, Xiph.org Foundation\nhttps://xiph.org/ogg/'),
};

/** Package → libraries inside it; an empty list: nothing but what its own licence covers. */
export const compiledParts = {
	'mpg123-decoder': [
		{
			name: 'libmpg123',
			license: 'LGPL-2.1-only',
			text: () =>
				`Copyright (c) 1995-2023 by the mpg123 project (Michael Hipp, Thomas Orgis and others)

The MP3 decoder is libmpg123, compiled to WebAssembly and unchanged. Its source is at
https://www.mpg123.org/ and, as it was compiled, at https://github.com/eshaz/wasm-audio-decoders, from
which the package mpg123-decoder is made. You may replace it by a version of your own: put a changed
mpg123-decoder into node_modules and build Nearglot, whose source is free, again.

${licence('lgpl-2.1')}`,
		},
	],
	'opus-decoder': [
		{
			name: 'libopus',
			license: 'BSD-3-Clause',
			text: () =>
				xiph(
					'Copyright 2001-2023 Xiph.Org, Skype Limited, Octasic, Jean-Marc Valin, Timothy B. Terriberry,\nCSIRO, Gregory Maxwell, Mark Borgerding, Erik de Castro Lopo, Mozilla, Amazon\nhttps://opus-codec.org/',
				),
		},
	],
	'@wasm-audio-decoders/flac': [libFlac, libOgg],
	'@wasm-audio-decoders/ogg-vorbis': [
		{
			name: 'libvorbis',
			license: 'BSD-3-Clause',
			text: () => xiph('Copyright (c) 2002-2020 Xiph.org Foundation\nhttps://xiph.org/vorbis/'),
		},
		libOgg,
	],
	'@wasm-audio-decoders/common': [
		{
			name: 'puff',
			license: 'Zlib',
			text: () => `Copyright (C) 2002-2013 Mark Adler, all rights reserved

This software is provided 'as-is', without any express or implied warranty. In no event will the author be
held liable for any damages arising from the use of this software. Permission is granted to anyone to use
this software for any purpose, including commercial applications, and to alter it and redistribute it
freely, subject to the following restrictions: 1. The origin of this software must not be misrepresented;
you must not claim that you wrote the original software. 2. Altered source versions must be plainly marked
as such, and must not be misrepresented as being the original software. 3. This notice may not be removed
or altered from any source distribution.`,
		},
	],
	'@jsquash/jpeg': [
		{
			name: 'MozJPEG',
			license: 'IJG AND BSD-3-Clause AND Zlib',
			text: () =>
				`This software is based in part on the work of the Independent JPEG Group.\n\n${codecLicence('jpeg')}`,
		},
	],
	'@jsquash/png': [
		{
			name: 'png (image-rs)',
			license: 'MIT',
			text: () => mit('Copyright (c) 2015 nwin'),
		},
	],
	'@jsquash/webp': [{ name: 'libwebp', license: 'BSD-3-Clause', text: () => codecLicence('webp') }],
	undici: [
		{
			name: 'llhttp',
			license: 'MIT',
			text: () => mit('Copyright Fedor Indutny, 2018'),
		},
	],
	'onnxruntime-node': [
		{
			name: 'Libraries inside ONNX Runtime',
			license: 'as its publisher lists them',
			text: () => licence('onnxruntime'),
		},
	],
	// One licence for the JavaScript and for what is compiled; theirs are shipped as they are.
	'@mlc-ai/web-xgrammar': [],
	'@vscode/tree-sitter-wasm': [],
	'fasttext.wasm.js': [],
	koffi: [],
	'vscode-oniguruma': [],
	'web-tree-sitter': [],
};

const binary = /\.(?:wasm|node|dll|dylib|so)(?:\.\d+)*$/;

/** Whether a package's folder holds machine code, or JavaScript that carries WebAssembly. */
export function hasCompiledCode(folder) {
	return readdirSync(folder, { recursive: true, withFileTypes: true }).some((entry) => {
		const path = join(entry.parentPath, entry.name);
		if (!entry.isFile() || path.slice(folder.length).includes('node_modules')) return false;
		if (binary.test(entry.name)) return true;
		return (
			/\.[cm]?js$/.test(entry.name) &&
			/WebAssembly\s*\.\s*(?:compile|instantiate|Module)/.test(readFileSync(path, 'utf8'))
		);
	});
}

/** Notices of what is compiled into a package; throws for one nobody has looked into. */
export function compiledNotices(name, version, folder) {
	const parts = compiledParts[name];
	if (parts === undefined) {
		if (!hasCompiledCode(folder)) return [];
		throw new Error(
			`${name} holds compiled code: say in scripts/compiledParts.mjs which libraries, with their licences.`,
		);
	}
	return parts.map(
		({ name: part, license, text }) =>
			`${part} (${license}), compiled into ${name} ${version}\n\n${text().trim()}`,
	);
}

/** A button that opens a small form below it. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../icons.tsx';

export function Menu(props: {
	readonly icon: IconName;
	readonly label: string;
	readonly disabled?: boolean;
	/** The form; `close` ends it. */
	readonly children: (close: () => void) => ComponentChildren;
}): VNode {
	const open = useSignal(false);
	const box = useRef<HTMLFieldSetElement>(null);
	const button = useRef<HTMLButtonElement>(null);
	const id = useId();
	useEffect(() => {
		const outside = (event: Event) => {
			if (!box.current?.contains(event.target as Node)) open.value = false;
		};
		document.addEventListener('pointerdown', outside);
		return () => document.removeEventListener('pointerdown', outside);
	}, [open]);
	const shown = open.value;
	useEffect(() => {
		if (shown)
			box.current?.querySelector<HTMLElement>('.menu-form select, .menu-form button')?.focus();
	}, [shown]);
	const close = () => {
		open.value = false;
		button.current?.focus();
	};
	return (
		<fieldset
			class="menu"
			ref={box}
			aria-label={props.label}
			onKeyDown={(event) => {
				if (event.key !== 'Escape' || !open.value) return;
				event.stopPropagation();
				close();
			}}
		>
			<button
				ref={button}
				type="button"
				class="tool-button"
				aria-expanded={shown}
				aria-controls={shown ? id : undefined}
				title={props.label}
				disabled={props.disabled ?? false}
				onClick={() => {
					open.value = !open.value;
				}}
			>
				<Icon name={props.icon} />
				<span class="tool-label">{props.label}</span>
				<Icon name="down" />
			</button>
			{shown && (
				<div class="menu-form" id={id}>
					{props.children(close)}
				</div>
			)}
		</fieldset>
	);
}

/** A labelled choice. */
export function Choice<T extends string>(props: {
	readonly label: string;
	readonly value: T;
	readonly options: readonly (readonly [T, string])[];
	readonly onChange: (value: T) => void;
}): VNode {
	return (
		<label class="choice">
			<span>{props.label}</span>
			<select
				value={props.value}
				onChange={(event) => props.onChange(event.currentTarget.value as T)}
			>
				{props.options.map(([value, text]) => (
					<option key={value} value={value}>
						{text}
					</option>
				))}
			</select>
		</label>
	);
}

/** A box to tick. */
export function Tick(props: {
	readonly label: string;
	readonly checked: boolean;
	readonly onChange: (checked: boolean) => void;
}): VNode {
	return (
		<label class="tick">
			<input
				type="checkbox"
				checked={props.checked}
				onChange={(event) => props.onChange(event.currentTarget.checked)}
			/>
			{props.label}
		</label>
	);
}

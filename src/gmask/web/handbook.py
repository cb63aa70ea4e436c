"""The API's description, made readable: what each request takes and gives, without scripts from anywhere."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["operations"]


def operations(description: dict[str, Any]) -> list[dict[str, Any]]:
    """The operations of an OpenAPI description, each with its fields, an example and its answers."""
    schemas = description.get("components", {}).get("schemas", {})
    return [
        _operation(method, path, operation, schemas)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def _operation(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    fields = [
        {**_field(p["name"], p["schema"], schemas), "place": p["in"], "required": p.get("required", False)}
        | ({"description": p["description"]} if "description" in p else {})
        for p in operation.get("parameters", [])
    ]
    schema = _resolve(body, schemas) if body else {}
    fields += [
        {**_field(name, part, schemas), "place": "body", "required": name in schema.get("required", [])}
        for name, part in schema.get("properties", {}).items()
    ]
    examples = {name: part["examples"][0] for name, part in schema.get("properties", {}).items() if "examples" in part}
    return {
        "method": method.upper(),
        "path": path,
        "name": operation["operationId"],
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "fields": fields,
        "example": json.dumps(examples, indent=2, ensure_ascii=False) if body else None,
        "answers": [_answer(status, told, schemas) for status, told in operation["responses"].items()],
    }


def _field(name: str, schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "kind": _kind(schema, schemas),
        "description": schema.get("description", ""),
        "default": json.dumps(schema["default"]) if "default" in schema else "",
    }


def _answer(status: str, told: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    content = told.get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    shown = _resolve(schema.get("items", schema), schemas)
    return {
        "status": status,
        "description": told.get("description", ""),
        "media": list(content),
        "kind": _kind(schema, schemas) if schema else "",
        "fields": [_field(name, part, schemas) for name, part in shown.get("properties", {}).items()],
    }


def _kind(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """A schema's type in a few words."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1].split("-")[0]
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_kind(part, schemas) for part in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}), schemas)}"
    return str(schema.get("type", "any"))


def _resolve(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    return schemas[schema["$ref"].rsplit("/", 1)[-1]] if "$ref" in schema else schema

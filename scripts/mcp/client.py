"""A session of the official Python client with `pipeline mcp` and `/mcp`: both transports, both revisions, calls side by side.

    client.py PROGRAM INDEX URL QUESTION
"""

import asyncio
import os
import sys
import time

from mcp import Client, StdioServerParameters
from mcp.types import CreateMessageResult, TextContent


async def timed(what, call):
    started = time.perf_counter()
    result = await call
    print(f"  {what}: {time.perf_counter() - started:.2f} s")
    return result


async def session(name, server, mode, question):
    async with Client(server, mode=mode) as client:
        tools = (await client.list_tools()).tools
        print(f"{name}, revision {client.protocol_version}: {', '.join(tool.name for tool in tools)}")
        assert client.instructions and "data" in client.instructions
        asked = await timed("ask", client.call_tool("ask", {"query": question}))
        assert not asked.is_error, asked
        answer = asked.structured_content
        quote = (answer["quotes"] or answer["closest"])[0]
        print(f"    {quote['text']}\n    {quote['url']}")
        found = await timed("search", client.call_tool("search", {"query": question, "limit": 3}))
        best = found.structured_content["results"][0]
        # The client holds results with an output schema to it.
        passage = await timed("fetch", client.call_tool("fetch", {"id": best["id"]}))
        assert best["text"].split()[0] in passage.structured_content["text"]
        draft = f"{quote['text']} They wrote “the moon is made of green cheese”."
        checked = await timed("verify_answer", client.call_tool("verify_answer", {"answer": draft}))
        checked = checked.structured_content
        print(f"    {checked['summary']}")
        assert checked["claims"][0]["verdict"] == "supported", checked
        assert checked["quotes"][-1]["found"] is False, checked
        uri = (await client.list_resources()).resources[0].uri
        page = await client.read_resource(f"{uri}/page/1")
        assert page.contents[0].text, page
        wrong = await client.call_tool("search", {"query": question, "limit": 1000})
        assert wrong.is_error, wrong
        # A slow call does not hold up quick ones.
        slow = asyncio.create_task(client.call_tool("verify_answer", {"answer": draft * 3}))
        await asyncio.sleep(0.2)
        started = time.perf_counter()
        quick = [client.call_tool("list_sources", {"query": str(year)}) for year in range(2000, 2020)]
        await asyncio.gather(*quick)
        print(f"  20 quick calls beside a slow one: {time.perf_counter() - started:.2f} s; slow one done: {slow.done()}")
        await slow


async def write(context, params):
    """A model that gives no usable answer: the guardrails must not let it through."""
    return CreateMessageResult(role="assistant", content=TextContent(type="text", text="I do not know."), model="none")


async def main():
    program, index, url, question = sys.argv[1:]
    # Clients pass few variables on unless they are told to.
    env = {name: value for name, value in os.environ.items() if name.startswith("PIPELINE_")}
    stdio = StdioServerParameters(command=program, args=["--index", index, "mcp", "--nc"], env=env)
    await session("stdio", stdio, "legacy", question)
    await session("stdio", stdio, "auto", question)
    await session("HTTP", url, "legacy", question)
    await session("HTTP", url, "auto", question)
    async with Client(stdio, mode="legacy", sampling_callback=write) as client:
        result = await client.call_tool("nc_semantic_search_answer", {"query": question, "limit": 5})
        answer = result.structured_content
        print(f"sampling: written by {answer['model_used']}; {answer['notes']}")
        assert answer["model_used"] != "client", answer


asyncio.run(main())

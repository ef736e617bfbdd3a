"""Given names that many people have, and that are hardly ever anything else."""

_GIVEN = """
james robert john michael david william richard joseph thomas charles christopher daniel matthew
anthony mark donald steven andrew paul joshua kenneth kevin brian george timothy ronald edward
jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin
samuel gregory alexander patrick frank raymond jack dennis jerry tyler aaron jose adam nathan henry
zachary douglas peter kyle noah ethan jeremy walter keith roger juan carlos luis jesus miguel pedro
mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra
margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon
laura cynthia dorothy amy kathleen angela shirley emma brenda pamela nicole anna samantha katherine
christine helen debra rachel carolyn janet maria catherine heather diane olivia julie joyce victoria
ruth lauren kelly christina joan evelyn judith andrea hannah megan cheryl jacqueline martha
teresa ann sara gloria kathryn janice rosa ana sofia isabella lucia carmen
hans klaus peter jan lukas felix karl fritz otto greta ingrid heidi pierre jean marie claire luc
giovanni marco luca giulia mohammed ahmed fatima aisha wei ming priya raj anil yuki hiroshi olga
"""
GIVEN = frozenset(_GIVEN.split())
"""Without those that are places, months, flowers or illnesses, too: no Virginia, June or Rose."""

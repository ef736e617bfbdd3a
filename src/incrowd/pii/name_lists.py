"""Common family names and large cities: facts by which columns without a telling name are known.

Words that are also colours, trades, months, first names of things or other everyday words are left
out: a column of them is no column of people.
"""

from incrowd.pii.words import phrase_set, word_set

FAMILY = word_set("""
smith johnson williams jones garcia miller davis rodriguez martinez hernandez lopez gonzalez wilson
anderson taylor moore jackson martin perez thompson harris sanchez clark ramirez lewis robinson
allen wright scott torres nguyen flores adams nelson rivera campbell mitchell roberts gomez phillips
evans diaz edwards collins reyes stewart morris morales murphy rogers gutierrez ortiz peterson
bailey kelly howard ramos kim cox richardson watson chavez bennett mendoza ruiz hughes
alvarez castillo sanders patel myers ross foster jimenez powell jenkins perry russell sullivan
coleman henderson barnes gonzales vasquez simmons romero patterson alexander
hamilton graham reynolds griffin wallace moreno cole hayes bryant herrera gibson ellis tran
medina aguilar stevens murray castro marshall owens harrison fernandez mcdonald
kennedy vargas henry chen freeman webb tucker guzman burns crawford olson simpson
gordon mendez silva shaw snyder dixon munoz hicks holmes palmer wagner robertson boyd salazar
warren meyer fuentes schmidt garza daniels ferguson nichols stephens soto ryan gardner
payne kelley dunn pierce arnold hansen elliott hawkins willis kowalski novak okafor tanaka haddad
eriksson rossi dubois schneider petrov sato singh mueller muller fischer weber becker hoffmann
schulz koch bauer richter klein wolf schroeder neumann schwarz zimmermann hartmann kruger lange
bernard thomas petit durand leroy moreau laurent lefebvre michel bertrand fournier girard bonnet
ferrari esposito bianchi romano colombo ricci marino greco conti deluca costa santos oliveira souza
pereira lima carvalho almeida ribeiro fernandes gomes wisniewski wojcik kaminski lewandowski
zielinski szymanski nowak dvorak svoboda horvat kovacs nagy ivanov smirnov kuznetsov popov volkov
andersson johansson karlsson nilsson larsson olsen jensen nielsen hansen pedersen virtanen korhonen
wang zhang liu yang huang zhao zhou suzuki takahashi watanabe yamamoto nakamura kobayashi choi
ali khan ahmed hussain rahman sharma gupta kumar verma reddy nair osei mensah adeyemi mbeki
""")
"""Common family names, in lower case without accents."""

CITIES = phrase_set("""
los angeles|chicago|houston|phoenix|philadelphia|san antonio|san diego|dallas|san jose|austin
jacksonville|fort worth|columbus|charlotte|san francisco|indianapolis|seattle|denver|boston
el paso|nashville|detroit|oklahoma city|portland|las vegas|memphis|louisville|baltimore|milwaukee
albuquerque|tucson|fresno|sacramento|kansas city|atlanta|omaha|colorado springs|raleigh
miami|long beach|virginia beach|oakland|minneapolis|tulsa|tampa|arlington|new orleans|wichita
cleveland|bakersfield|aurora|anaheim|honolulu|santa ana|riverside|corpus christi|lexington|stockton
henderson|saint paul|st louis|cincinnati|pittsburgh|greensboro|anchorage|plano|lincoln|orlando
irvine|newark|toledo|durham|chula vista|fort wayne|jersey city|st petersburg|laredo|madison|chandler
buffalo|lubbock|scottsdale|reno|glendale|gilbert|winston salem|norfolk|chesapeake|garland|irving
hialeah|richmond|boise|spokane|baton rouge|des moines|tacoma|san bernardino|modesto|fontana
rochester|oxnard|fayetteville|salt lake city|worcester|springfield|quincy|salem|cambridge|lowell
providence|hartford|new haven|bridgeport|albany|syracuse|yonkers|burlington|concord|manchester
portsmouth|savannah|charleston|columbia|greenville|knoxville|chattanooga|birmingham|montgomery
little rock|shreveport|amarillo|santa fe|el cajon|pasadena|eugene|bellevue|everett|topeka
london|paris|berlin|madrid|rome|vienna|warsaw|prague|budapest|lisbon|athens|dublin|brussels
amsterdam|rotterdam|copenhagen|stockholm|oslo|helsinki|hamburg|munich|cologne|frankfurt|stuttgart
dusseldorf|leipzig|dresden|zurich|geneva|basel|milan|naples|turin|florence|barcelona|valencia
seville|bilbao|porto|lyon|marseille|toulouse|bordeaux|lille|glasgow|edinburgh|liverpool|leeds
bristol|sheffield|cardiff|belfast|krakow|gdansk|wroclaw|poznan|lodz|moscow|kyiv|istanbul|ankara
cairo|lagos|nairobi|johannesburg|cape town|casablanca|tel aviv|dubai|mumbai|delhi|kolkata|chennai
bangalore|karachi|lahore|dhaka|bangkok|jakarta|manila|hanoi|beijing|shanghai|tokyo|osaka|seoul
sydney|melbourne|brisbane|perth|auckland|toronto|montreal|vancouver|calgary|ottawa|mexico city
guadalajara|monterrey|bogota|lima|santiago|buenos aires|sao paulo|rio de janeiro|brasilia|caracas
""")
"""Large cities, in lower case without accents and dots."""
